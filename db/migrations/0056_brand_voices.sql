CREATE TABLE "brand_voices" (
	"account_id" text PRIMARY KEY NOT NULL,
	"about" text NOT NULL,
	"words_to_use" text[] NOT NULL,
	"words_to_avoid" text[] NOT NULL,
	"language" text,
	"has_emoji" boolean NOT NULL,
	"has_hashtags" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "brand_voices" ADD CONSTRAINT "brand_voices_account_id_pinterest_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."pinterest_accounts"("id") ON DELETE cascade ON UPDATE no action;