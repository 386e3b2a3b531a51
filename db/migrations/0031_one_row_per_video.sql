DROP INDEX "saved_videos_url";--> statement-breakpoint
DROP INDEX "saved_videos_newest";--> statement-breakpoint
ALTER TABLE "saved_videos" ADD COLUMN "video_number" text;--> statement-breakpoint
ALTER TABLE "saved_videos" ADD COLUMN "list_key" text;--> statement-breakpoint
UPDATE "saved_videos" SET "list_key" = "id", "video_url" = lower(regexp_replace("video_url", '/0*([0-9]+)$', '/\1')), "video_number" = substring("video_url" from '/0*([0-9]+)$');--> statement-breakpoint
-- Of the spellings of one video the one that is kept, and then the one that was brought up to date last, stays.
DELETE FROM "saved_videos" WHERE "id" IN (SELECT "id" FROM (SELECT "id", row_number() OVER (PARTITION BY "user_id", "video_number" ORDER BY "deleted_at" IS NOT NULL, "updated_at" DESC, "id") AS "place" FROM "saved_videos") AS "spellings" WHERE "place" > 1);--> statement-breakpoint
ALTER TABLE "saved_videos" ALTER COLUMN "video_number" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_videos" ALTER COLUMN "list_key" SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_videos_number" ON "saved_videos" USING btree ("user_id","video_number");--> statement-breakpoint
CREATE INDEX "saved_videos_newest" ON "saved_videos" USING btree ("user_id","created_at","list_key") WHERE "saved_videos"."deleted_at" is null;
