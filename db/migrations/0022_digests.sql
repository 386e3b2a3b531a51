ALTER TABLE "digest_entries" DROP CONSTRAINT "digest_entries_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "digest_entries" ADD COLUMN "mailed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "digest_entries_waiting" ON "digest_entries" USING btree ("user_id","occurred_at") WHERE "digest_entries"."mailed_at" is null;