-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pins_image" ON "pins" USING btree ("image_key");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "generation_tasks_image" ON "generation_tasks" USING btree ("image_key") WHERE "generation_tasks"."image_key" is not null;
