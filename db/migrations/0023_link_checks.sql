ALTER TABLE "link_checks" ADD COLUMN "host" text NOT NULL;--> statement-breakpoint
ALTER TABLE "link_checks" ADD COLUMN "asked_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "link_checks_host" ON "link_checks" USING btree ("host","asked_at");--> statement-breakpoint
CREATE INDEX "pins_link" ON "pins" USING hash ("link");
--> statement-breakpoint
-- What was found behind a link changes what posts say. Runs at the commit, as `note_live_event` does; the locks are
-- taken in the order of their keys, so that two checks that concern the same users never wait for each other.
CREATE FUNCTION note_link_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  FOR owner IN
    SELECT user_id FROM pins WHERE link = NEW.url AND status IN ('draft', 'scheduled', 'failed')
    GROUP BY user_id ORDER BY hashtext(user_id)
  LOOP
    PERFORM pg_advisory_xact_lock(hashtext('live_events'), hashtext(owner));
    INSERT INTO live_events (user_id, kind, subject)
      SELECT owner, 'post', id FROM pins
      WHERE link = NEW.url AND user_id = owner AND status IN ('draft', 'scheduled', 'failed');
    PERFORM pg_notify('live', owner);
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER link_checks_live AFTER UPDATE ON link_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.state, OLD.final_url, OLD.http_status) IS DISTINCT FROM (NEW.state, NEW.final_url, NEW.http_status))
  EXECUTE FUNCTION note_link_check();
