CREATE TABLE "posting_slots" (
	"account_id" text NOT NULL,
	"weekday" smallint NOT NULL,
	"minute" smallint NOT NULL,
	CONSTRAINT "posting_slots_account_id_weekday_minute_pk" PRIMARY KEY("account_id","weekday","minute")
);
--> statement-breakpoint
ALTER TABLE "pinterest_accounts" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "posting_slots" ADD CONSTRAINT "posting_slots_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;