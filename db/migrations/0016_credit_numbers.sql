DROP INDEX "credit_transfers_user";--> statement-breakpoint
ALTER TABLE "credit_balances" ADD COLUMN "paid_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "credit_transfers" ADD COLUMN "grant_cause" text;--> statement-breakpoint
ALTER TABLE "credit_transfers" ADD COLUMN "number" bigserial NOT NULL;--> statement-breakpoint
CREATE INDEX "credit_transfers_user" ON "credit_transfers" USING btree ("user_id","number");