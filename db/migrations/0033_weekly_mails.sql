CREATE TABLE "weekly_mails" (
	"user_id" text PRIMARY KEY NOT NULL,
	"asked_week" date,
	"told_week" date
);
--> statement-breakpoint
ALTER TABLE "weekly_mails" ADD CONSTRAINT "weekly_mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;