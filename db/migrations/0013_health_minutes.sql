CREATE TABLE "health_minutes" (
	"minute" timestamp (3) with time zone PRIMARY KEY NOT NULL
);
