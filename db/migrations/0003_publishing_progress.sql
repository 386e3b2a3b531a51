DROP INDEX "pins_due";--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "wake_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "sweeps" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "publish_attempts" ADD COLUMN "problem" text;--> statement-breakpoint
ALTER TABLE "publish_attempts" ADD COLUMN "problem_text" text;--> statement-breakpoint
ALTER TABLE "publish_attempts" ADD COLUMN "retry_after_seconds" integer;--> statement-breakpoint
ALTER TABLE "publish_attempts" ADD COLUMN "look_failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "pins_wake" ON "pins" USING btree ("wake_at") WHERE "pins"."status" = 'scheduled';