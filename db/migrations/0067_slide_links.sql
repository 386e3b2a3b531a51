-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pin_slides_link" ON "pin_slides" USING btree (md5("link")) WHERE "pin_slides"."link" is not null;
