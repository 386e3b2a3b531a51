ALTER TABLE "payments" ADD COLUMN "items" jsonb;--> statement-breakpoint
ALTER TABLE "credit_reservations" ADD COLUMN "period" text;--> statement-breakpoint
ALTER TABLE "credit_transfers" ADD COLUMN "demanded" integer;--> statement-breakpoint
CREATE INDEX "credit_transfers_unmet" ON "credit_transfers" USING btree ("user_id") WHERE "credit_transfers"."demanded" is not null;