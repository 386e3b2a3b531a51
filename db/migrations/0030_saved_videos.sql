CREATE TABLE "saved_videos" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"video_url" text NOT NULL,
	"title" text,
	"description" text,
	"author" text,
	"author_url" text,
	"thumbnail_url" text,
	"views_count" text,
	"views" bigint NOT NULL,
	"likes_count" text,
	"date_posted" text,
	"uploaded_at" timestamp (3) with time zone,
	"hashtags" text[] NOT NULL,
	"hashtag_keys" text[] NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"notes" text DEFAULT '' NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "saved_videos" ADD CONSTRAINT "saved_videos_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_videos_url" ON "saved_videos" USING btree ("user_id","video_url");--> statement-breakpoint
CREATE INDEX "saved_videos_newest" ON "saved_videos" USING btree ("user_id","created_at","id") WHERE "saved_videos"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "saved_videos_words" ON "saved_videos" USING gin ("user_id",(lower((coalesce("title", '') || ' @' || coalesce("author", '')) collate "und-x-icu")) gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "saved_videos_hashtags" ON "saved_videos" USING gin ("user_id","hashtag_keys");--> statement-breakpoint
CREATE INDEX "saved_videos_deleted" ON "saved_videos" USING btree ("deleted_at") WHERE "saved_videos"."deleted_at" is not null;