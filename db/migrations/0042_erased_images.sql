ALTER TABLE "orphaned_images" ADD COLUMN "erased_user_id" text;
