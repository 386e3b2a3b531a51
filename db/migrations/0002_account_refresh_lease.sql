ALTER TABLE "pinterest_accounts" ADD COLUMN "refresh_lease" text;--> statement-breakpoint
ALTER TABLE "pinterest_accounts" ADD COLUMN "refresh_lease_until" timestamp (3) with time zone;