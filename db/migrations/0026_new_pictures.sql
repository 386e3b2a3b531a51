ALTER TABLE "generation_tasks" DROP CONSTRAINT "generation_tasks_replaces_pin_id_pins_id_fk";
--> statement-breakpoint
ALTER TABLE "generation_tasks" ADD COLUMN "replaced" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "generation_tasks_replacing" ON "generation_tasks" USING btree ("replaces_pin_id") WHERE "generation_tasks"."replaces_pin_id" is not null and "generation_tasks"."finished_at" is null;--> statement-breakpoint
DROP TRIGGER pins_live ON pins;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pins_live AFTER UPDATE ON pins
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.status, OLD.title, OLD.description, OLD.alt_text, OLD.link, OLD.board_id, OLD.scheduled_at,
      OLD.published_at, OLD.pinterest_pin_id, OLD.reason, OLD.may_be_published, OLD.image_key, OLD.template, OLD.review)
    IS DISTINCT FROM (NEW.status, NEW.title, NEW.description, NEW.alt_text, NEW.link, NEW.board_id, NEW.scheduled_at,
      NEW.published_at, NEW.pinterest_pin_id, NEW.reason, NEW.may_be_published, NEW.image_key, NEW.template, NEW.review))
  EXECUTE FUNCTION note_live_event('post');
