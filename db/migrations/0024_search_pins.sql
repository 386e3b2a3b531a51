CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
DROP INDEX "pins_account";--> statement-breakpoint
DROP INDEX "pins_account_status";--> statement-breakpoint
CREATE INDEX "pins_due" ON "pins" USING btree ("account_id","scheduled_at","id") WHERE "pins"."status" = 'scheduled';--> statement-breakpoint
CREATE INDEX "pins_title" ON "pins" USING btree ("account_id",("title" collate "und-x-icu"),"id");--> statement-breakpoint
CREATE INDEX "pins_words" ON "pins" USING gin ("account_id",(lower(("title" || ' ' || coalesce("keyword", '')) collate "und-x-icu")) gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "pins_account" ON "pins" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "pins_account_status" ON "pins" USING btree ("account_id","status","created_at","id");