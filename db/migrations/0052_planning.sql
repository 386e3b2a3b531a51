CREATE TABLE "held_images" (
	"task_id" text PRIMARY KEY NOT NULL,
	"image" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "account_paces" (
	"account_id" text PRIMARY KEY NOT NULL,
	"numbers" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plan_overrides" (
	"batch_id" text NOT NULL,
	"rule" text NOT NULL,
	"account_id" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "plan_overrides_batch_id_rule_pk" PRIMARY KEY("batch_id","rule")
);
--> statement-breakpoint
ALTER TABLE "held_images" ADD CONSTRAINT "held_images_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_paces" ADD CONSTRAINT "account_paces_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_overrides" ADD CONSTRAINT "plan_overrides_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_overrides_account" ON "plan_overrides" USING btree ("account_id","batch_id");