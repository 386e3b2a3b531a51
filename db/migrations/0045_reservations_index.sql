-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "credit_reservations_user" ON "credit_reservations" USING btree ("user_id");
