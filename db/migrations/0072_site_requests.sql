CREATE TABLE "site_requests" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"site" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"waiter" text
);
--> statement-breakpoint
CREATE INDEX "site_requests_site" ON "site_requests" USING btree ("site","at");--> statement-breakpoint
CREATE UNIQUE INDEX "site_requests_waiter" ON "site_requests" USING btree ("waiter","site") WHERE "site_requests"."waiter" is not null;