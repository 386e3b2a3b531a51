ALTER TABLE "generation_groups" ADD COLUMN "board_section_id" text;--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "board_section_id" text;