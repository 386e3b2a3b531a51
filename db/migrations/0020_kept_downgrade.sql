ALTER TABLE "subscriptions" ADD COLUMN "kept_to" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "kept_from" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "kept_at" timestamp (3) with time zone;