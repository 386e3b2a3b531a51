CREATE TABLE "pin_slides" (
	"pin_id" text NOT NULL,
	"position" integer NOT NULL,
	"image_key" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"link" text,
	CONSTRAINT "pin_slides_pin_id_position_pk" PRIMARY KEY("pin_id","position")
);
--> statement-breakpoint
CREATE TABLE "pin_videos" (
	"pin_id" text PRIMARY KEY NOT NULL,
	"video_key" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" integer NOT NULL,
	"duration_ms" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "video_uploads" (
	"pin_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"media_id" text,
	"uploaded_at" timestamp (3) with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"checked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "pins" ADD COLUMN "format" text DEFAULT 'image' NOT NULL;--> statement-breakpoint
ALTER TABLE "pin_slides" ADD CONSTRAINT "pin_slides_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pin_videos" ADD CONSTRAINT "pin_videos_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "video_uploads" ADD CONSTRAINT "video_uploads_pin_id_pins_id_fk" FOREIGN KEY ("pin_id") REFERENCES "public"."pins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pin_slides_image" ON "pin_slides" USING btree ("image_key");--> statement-breakpoint
CREATE INDEX "pin_videos_video" ON "pin_videos" USING btree ("video_key");