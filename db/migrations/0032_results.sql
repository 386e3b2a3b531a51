CREATE TABLE "pin_figures" (
	"pin_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"state" text NOT NULL,
	"first_day" date NOT NULL,
	"ready_through" date,
	"impressions" integer[] DEFAULT '{}' NOT NULL,
	"pin_clicks" integer[] DEFAULT '{}' NOT NULL,
	"outbound_clicks" integer[] DEFAULT '{}' NOT NULL,
	"saves" integer[] DEFAULT '{}' NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "result_gathers" (
	"account_id" text PRIMARY KEY NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"wake_at" timestamp (3) with time zone,
	"sweeps" integer DEFAULT 0 NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"window_at" timestamp (3) with time zone,
	"window_calls" integer DEFAULT 0 NOT NULL,
	"paused_until" timestamp (3) with time zone,
	"bulk_refused_until" timestamp (3) with time zone,
	"problem_text" text
);
--> statement-breakpoint
ALTER TABLE "pin_figures" ADD CONSTRAINT "pin_figures_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pin_figures" ADD CONSTRAINT "pin_figures_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "result_gathers" ADD CONSTRAINT "result_gathers_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pin_figures_account" ON "pin_figures" USING btree ("account_id","fetched_at");--> statement-breakpoint
CREATE INDEX "pin_figures_age" ON "pin_figures" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "result_gathers_wake" ON "result_gathers" USING btree ("wake_at");