CREATE TABLE "keyword_lists" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_keywords" (
	"id" text PRIMARY KEY NOT NULL,
	"list_id" text NOT NULL,
	"keyword" text NOT NULL,
	"keyword_key" text NOT NULL,
	"saved_on" date NOT NULL
);
--> statement-breakpoint
ALTER TABLE "keyword_lists" ADD CONSTRAINT "keyword_lists_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_keywords" ADD CONSTRAINT "saved_keywords_list_id_keyword_lists_id_fk" FOREIGN KEY ("list_id") REFERENCES "public"."keyword_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "keyword_lists_name" ON "keyword_lists" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_keywords_keyword" ON "saved_keywords" USING btree ("list_id","keyword_key");