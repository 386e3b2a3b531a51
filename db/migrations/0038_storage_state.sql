CREATE TABLE "storage_state" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"marked_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"down_since" timestamp (3) with time zone,
	"problem" text,
	CONSTRAINT "storage_state_only" CHECK ("storage_state"."is_only")
);
