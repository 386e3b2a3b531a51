-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pinterest_accounts_resumed" ON "pinterest_accounts" USING btree ("id") WHERE "pinterest_accounts"."holds_pins";
