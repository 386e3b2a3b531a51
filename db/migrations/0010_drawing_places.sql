CREATE TABLE "drawing_pauses" (
	"subject" text PRIMARY KEY NOT NULL,
	"resume_at" timestamp (3) with time zone NOT NULL,
	"paced_until" timestamp (3) with time zone NOT NULL,
	"gap_ms" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "drawing_places" (
	"reference" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"waiter" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"present_until" timestamp (3) with time zone NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"is_drawing" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "called_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "drawing_places" ADD CONSTRAINT "drawing_places_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "drawing_places_user" ON "drawing_places" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "generation_groups_open" ON "generation_groups" USING btree ("user_id") WHERE "generation_groups"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "generation_tasks_waiting" ON "generation_tasks" USING btree ("user_id","created_at","position") WHERE "generation_tasks"."called_at" is null and "generation_tasks"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "generation_tasks_called" ON "generation_tasks" USING btree ("user_id") WHERE "generation_tasks"."called_at" is not null and "generation_tasks"."finished_at" is null;--> statement-breakpoint
-- Tasks under way have their events already.
UPDATE "generation_tasks" SET "called_at" = "created_at" WHERE "finished_at" IS NULL;
