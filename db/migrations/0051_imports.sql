CREATE TABLE "pin_import_files" (
	"import_id" text NOT NULL,
	"name" text NOT NULL,
	"key" text NOT NULL,
	CONSTRAINT "pin_import_files_import_id_name_pk" PRIMARY KEY("import_id","name")
);
--> statement-breakpoint
CREATE TABLE "pin_import_rows" (
	"import_id" text NOT NULL,
	"number" integer NOT NULL,
	"cells" text[] NOT NULL,
	"fixes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"is_chosen" boolean DEFAULT true NOT NULL,
	"image_ref" text,
	"image_done" text,
	"image_key" text,
	"likeness" text,
	"placeholder" text,
	"image_problem" text,
	"plan" jsonb,
	CONSTRAINT "pin_import_rows_import_id_number_pk" PRIMARY KEY("import_id","number")
);
--> statement-breakpoint
CREATE TABLE "pin_imports" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text NOT NULL,
	"status" text NOT NULL,
	"file_name" text NOT NULL,
	"format" text NOT NULL,
	"headers" text[] NOT NULL,
	"mapping" jsonb NOT NULL,
	"is_scheduled" boolean NOT NULL,
	"created_boards" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reason" text,
	"drafts" integer DEFAULT 0 NOT NULL,
	"scheduled" integer DEFAULT 0 NOT NULL,
	"runs" integer DEFAULT 0 NOT NULL,
	"wake_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pinterest_accounts" ADD COLUMN "import_columns" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "pin_import_files" ADD CONSTRAINT "pin_import_files_import_id_pin_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."pin_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pin_import_rows" ADD CONSTRAINT "pin_import_rows_import_id_pin_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."pin_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pin_imports" ADD CONSTRAINT "pin_imports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pin_imports" ADD CONSTRAINT "pin_imports_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pin_import_rows_waiting" ON "pin_import_rows" USING btree ("import_id","number") WHERE "pin_import_rows"."is_chosen" and "pin_import_rows"."image_ref" is not null and "pin_import_rows"."image_ref" is distinct from "pin_import_rows"."image_done";--> statement-breakpoint
CREATE UNIQUE INDEX "pin_imports_open" ON "pin_imports" USING btree ("user_id") WHERE "pin_imports"."status" <> 'done';--> statement-breakpoint
CREATE INDEX "pin_imports_user" ON "pin_imports" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "pin_imports_account" ON "pin_imports" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "pin_imports_updated" ON "pin_imports" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "pin_imports_wake" ON "pin_imports" USING btree ("wake_at") WHERE "pin_imports"."wake_at" is not null;