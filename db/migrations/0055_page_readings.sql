CREATE TABLE "page_readings" (
	"url_key" text PRIMARY KEY NOT NULL,
	"facts" jsonb,
	"reason" text,
	"status" integer,
	"read_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "generation_groups" ADD COLUMN "unread_page" text DEFAULT 'use_keyword' NOT NULL;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "page" jsonb;--> statement-breakpoint
CREATE INDEX "page_readings_read" ON "page_readings" USING btree ("read_at");