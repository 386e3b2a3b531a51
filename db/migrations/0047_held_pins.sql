ALTER TABLE "pinterest_accounts" ADD COLUMN "holds_pins" boolean DEFAULT false NOT NULL;
