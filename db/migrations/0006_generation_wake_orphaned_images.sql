CREATE TABLE "orphaned_images" (
	"key" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "generation_tasks_open";--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "wake_at" timestamp (3) with time zone;--> statement-breakpoint
UPDATE "generation_tasks" SET "wake_at" = coalesce("sent_at" + interval '15 minutes', "created_at");--> statement-breakpoint
ALTER TABLE "generation_tasks" ALTER COLUMN "wake_at" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "orphaned_images_since" ON "orphaned_images" USING btree ("since");--> statement-breakpoint
CREATE INDEX "generation_tasks_wake" ON "generation_tasks" USING btree ("wake_at") WHERE "generation_tasks"."finished_at" is null;