-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_keys_client" ON "api_keys" USING btree ("client_id");
