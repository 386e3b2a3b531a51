CREATE TABLE "brand_kits" (
	"account_id" text PRIMARY KEY NOT NULL,
	"colours" jsonb NOT NULL,
	"font_pairing" text NOT NULL,
	"logo_key" text,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "digest_entries" (
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"cause" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "digest_entries_user_id_kind_cause_pk" PRIMARY KEY("user_id","kind","cause")
);
--> statement-breakpoint
CREATE TABLE "link_checks" (
	"url_hash" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"state" text NOT NULL,
	"final_url" text,
	"http_status" integer,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone,
	"sweeps" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "replaces_pin_id" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "muted_mails" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "base_image_key" text;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "template" jsonb;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "placeholder" text;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "likeness" text;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "review" text;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "reviewed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "deleted_from" text;--> statement-breakpoint
ALTER TABLE "brand_kits" ADD CONSTRAINT "brand_kits_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "digest_entries" ADD CONSTRAINT "digest_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "digest_entries_occurred" ON "digest_entries" USING btree ("occurred_at");--> statement-breakpoint
CREATE INDEX "link_checks_wake" ON "link_checks" USING btree ("wake_at");--> statement-breakpoint
CREATE INDEX "link_checks_requested" ON "link_checks" USING btree ("requested_at");--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_replaces_pin_id_pins_id_fk" FOREIGN KEY ("replaces_pin_id") REFERENCES "public"."pins"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "generation_tasks_replaces" ON "generation_tasks" USING btree ("replaces_pin_id") WHERE "generation_tasks"."replaces_pin_id" is not null;--> statement-breakpoint
CREATE INDEX "pins_deleted" ON "pins" USING btree ("deleted_at") WHERE "pins"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "pins_base_image" ON "pins" USING btree ("base_image_key") WHERE "pins"."base_image_key" is not null;