CREATE TABLE "image_rights" (
	"user_id" text NOT NULL,
	"site" text NOT NULL,
	"confirmed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "image_rights_user_id_site_pk" PRIMARY KEY("user_id","site")
);
--> statement-breakpoint
CREATE TABLE "page_proposals" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"watch_id" text NOT NULL,
	"url" text NOT NULL,
	"title" text NOT NULL,
	"keyword" text NOT NULL,
	"image_url" text,
	"published_at" timestamp (3) with time zone,
	"found_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "site_watches" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"address" text NOT NULL,
	"name" text NOT NULL,
	"known" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"problem" text,
	"failures" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "image_source" text DEFAULT 'generated' NOT NULL;--> statement-breakpoint
ALTER TABLE "image_rights" ADD CONSTRAINT "image_rights_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_proposals" ADD CONSTRAINT "page_proposals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_proposals" ADD CONSTRAINT "page_proposals_watch_id_site_watches_id_fk" FOREIGN KEY ("watch_id") REFERENCES "public"."site_watches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_watches" ADD CONSTRAINT "site_watches_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "page_proposals_url" ON "page_proposals" USING btree ("watch_id","url");--> statement-breakpoint
CREATE INDEX "page_proposals_user" ON "page_proposals" USING btree ("user_id","found_at");--> statement-breakpoint
CREATE INDEX "page_proposals_found" ON "page_proposals" USING btree ("found_at");--> statement-breakpoint
CREATE UNIQUE INDEX "site_watches_address" ON "site_watches" USING btree ("user_id","address");--> statement-breakpoint
CREATE INDEX "site_watches_next" ON "site_watches" USING btree ("next_at");