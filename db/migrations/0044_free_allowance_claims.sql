CREATE TABLE "free_allowance_claims" (
	"account_hash" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"period" text NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "free_allowance_claims" ADD CONSTRAINT "free_allowance_claims_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "free_allowance_claims_user" ON "free_allowance_claims" USING btree ("user_id","period");
