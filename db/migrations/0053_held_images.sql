CREATE TABLE "held_images" (
	"task_id" text PRIMARY KEY NOT NULL,
	"image" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "held_images" ADD CONSTRAINT "held_images_task_id_generation_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."generation_tasks"("id") ON DELETE cascade ON UPDATE no action;