ALTER TABLE "brand_voices" ADD COLUMN "own_styles" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "brand_voices" ADD COLUMN "own_style" text;