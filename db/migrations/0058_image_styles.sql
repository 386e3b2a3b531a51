ALTER TABLE "brand_voices" ADD COLUMN "image_style" text;--> statement-breakpoint
ALTER TABLE "brand_voices" ADD COLUMN "image_about" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "brand_voices" ADD COLUMN "has_brand_colors" boolean DEFAULT false NOT NULL;