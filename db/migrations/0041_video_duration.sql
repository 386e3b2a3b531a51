ALTER TABLE "saved_videos" ADD COLUMN "duration_seconds" integer;
