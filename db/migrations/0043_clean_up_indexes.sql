-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pins_image" ON "pins" USING btree ("image_key");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "generation_tasks_image" ON "generation_tasks" USING btree ("image_key") WHERE "generation_tasks"."image_key" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "generation_groups_finished" ON "generation_groups" USING btree ("finished_at") WHERE "generation_groups"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "orphaned_images_erased" ON "orphaned_images" USING btree ("erased_user_id") WHERE "orphaned_images"."erased_user_id" is not null;
