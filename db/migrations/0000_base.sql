CREATE TABLE "oauth_states" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "pinterest_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"pinterest_user_id" text NOT NULL,
	"username" text NOT NULL,
	"access_token_sealed" text,
	"refresh_token_sealed" text,
	"access_expires_at" timestamp (3) with time zone,
	"refresh_expires_at" timestamp (3) with time zone,
	"scopes" text DEFAULT '' NOT NULL,
	"status" text NOT NULL,
	"paused_until" timestamp (3) with time zone,
	"connected_at" timestamp (3) with time zone NOT NULL,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "credit_balances" (
	"user_id" text PRIMARY KEY NOT NULL,
	"period" text NOT NULL,
	"allowance" integer DEFAULT 0 NOT NULL,
	"purchased" integer DEFAULT 0 NOT NULL,
	"held" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "credit_balances_allowance" CHECK ("credit_balances"."allowance" >= 0),
	CONSTRAINT "credit_balances_purchased" CHECK ("credit_balances"."purchased" >= 0),
	CONSTRAINT "credit_balances_held" CHECK ("credit_balances"."held" >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_lines" (
	"transfer_id" text NOT NULL,
	"account" text NOT NULL,
	"credits" integer NOT NULL,
	CONSTRAINT "credit_lines_transfer_id_account_pk" PRIMARY KEY("transfer_id","account")
);
--> statement-breakpoint
CREATE TABLE "credit_reservations" (
	"reference" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"from_allowance" integer NOT NULL,
	"from_purchased" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"outcome" text
);
--> statement-breakpoint
CREATE TABLE "credit_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"cause" text NOT NULL,
	"kind" text NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "generation_groups" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text NOT NULL,
	"board_id" text NOT NULL,
	"quality" text NOT NULL,
	"total_tasks" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "generation_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	"position" integer NOT NULL,
	"keyword" text NOT NULL,
	"url" text,
	"cost_credits" integer NOT NULL,
	"status" text NOT NULL,
	"title" text,
	"description" text,
	"alt_text" text,
	"image_key" text,
	"reason" text,
	"pin_id" text,
	"sweeps" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "email_verifications" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"email_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "logins" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_key" text NOT NULL,
	"username" text NOT NULL,
	"username_key" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"password_hash" text NOT NULL,
	"email_verified_at" timestamp (3) with time zone,
	"plan" text DEFAULT 'free' NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pins" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text NOT NULL,
	"board_id" text NOT NULL,
	"source" text NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"alt_text" text DEFAULT '' NOT NULL,
	"link" text,
	"keyword" text,
	"image_key" text NOT NULL,
	"status" text NOT NULL,
	"scheduled_at" timestamp (3) with time zone,
	"schedule_generation" integer DEFAULT 0 NOT NULL,
	"batch_id" text,
	"chosen_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"pinterest_pin_id" text,
	"reason" text,
	"may_be_published" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "publish_attempts" (
	"id" text PRIMARY KEY NOT NULL,
	"pin_id" text NOT NULL,
	"schedule_generation" integer NOT NULL,
	"number" integer NOT NULL,
	"state" text NOT NULL,
	"outcome" text,
	"armed_at" timestamp (3) with time zone NOT NULL,
	"called_at" timestamp (3) with time zone,
	"answered_at" timestamp (3) with time zone,
	"settled_at" timestamp (3) with time zone,
	"looks" integer DEFAULT 0 NOT NULL,
	"looked_at" timestamp (3) with time zone,
	"pinterest_pin_id" text,
	"http_status" integer,
	"provider_code" integer,
	"provider_message" text,
	"note" text
);
--> statement-breakpoint
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pinterest_accounts" ADD CONSTRAINT "pinterest_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_balances" ADD CONSTRAINT "credit_balances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_lines" ADD CONSTRAINT "credit_lines_transfer_id_credit_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."credit_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_reservations" ADD CONSTRAINT "credit_reservations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_transfers" ADD CONSTRAINT "credit_transfers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_groups" ADD CONSTRAINT "generation_groups_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_groups" ADD CONSTRAINT "generation_groups_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_group_id_generation_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."generation_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD CONSTRAINT "generation_tasks_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_verifications" ADD CONSTRAINT "email_verifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logins" ADD CONSTRAINT "logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pins" ADD CONSTRAINT "pins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pins" ADD CONSTRAINT "pins_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "publish_attempts" ADD CONSTRAINT "publish_attempts_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oauth_states_expiry" ON "oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "pinterest_accounts_owner" ON "pinterest_accounts" USING btree ("user_id","pinterest_user_id");--> statement-breakpoint
CREATE INDEX "pinterest_accounts_user" ON "pinterest_accounts" USING btree ("user_id","connected_at");--> statement-breakpoint
CREATE INDEX "credit_reservations_open" ON "credit_reservations" USING btree ("created_at") WHERE "credit_reservations"."settled_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "credit_transfers_cause" ON "credit_transfers" USING btree ("cause");--> statement-breakpoint
CREATE INDEX "credit_transfers_user" ON "credit_transfers" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "generation_groups_user" ON "generation_groups" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "generation_tasks_position" ON "generation_tasks" USING btree ("group_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "generation_tasks_pin" ON "generation_tasks" USING btree ("pin_id");--> statement-breakpoint
CREATE INDEX "generation_tasks_open" ON "generation_tasks" USING btree ("created_at") WHERE "generation_tasks"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "email_verifications_user" ON "email_verifications" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "logins_user" ON "logins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "logins_expiry" ON "logins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email_key");--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_key" ON "users" USING btree ("username_key");--> statement-breakpoint
CREATE INDEX "pins_account" ON "pins" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "pins_account_status" ON "pins" USING btree ("account_id","status");--> statement-breakpoint
CREATE INDEX "pins_due" ON "pins" USING btree ("scheduled_at") WHERE "pins"."status" = 'scheduled';--> statement-breakpoint
CREATE UNIQUE INDEX "pins_pinterest_pin" ON "pins" USING btree ("pinterest_pin_id");--> statement-breakpoint
CREATE UNIQUE INDEX "publish_attempts_number" ON "publish_attempts" USING btree ("pin_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "publish_attempts_pinterest_pin" ON "publish_attempts" USING btree ("pinterest_pin_id");--> statement-breakpoint
CREATE UNIQUE INDEX "publish_attempts_open" ON "publish_attempts" USING btree ("pin_id") WHERE "publish_attempts"."state" <> 'settled';--> statement-breakpoint
CREATE INDEX "publish_attempts_calling" ON "publish_attempts" USING btree ("called_at") WHERE "publish_attempts"."state" = 'calling';