-- no transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "users_email" ON "users" USING btree ("email_key") WHERE "users"."email_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "users_username" ON "users" USING btree ("username_key") WHERE "users"."username_key" is not null;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "users_email_key";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "users_username_key";
