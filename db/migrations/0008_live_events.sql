CREATE TABLE "live_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_horizon" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"retired_through" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "live_horizon_one_row" CHECK ("live_horizon"."is_only")
);
--> statement-breakpoint
CREATE INDEX "live_events_user" ON "live_events" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "live_events_age" ON "live_events" USING btree ("created_at");