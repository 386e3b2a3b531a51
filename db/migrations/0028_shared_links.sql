DROP INDEX "pins_link";--> statement-breakpoint
CREATE INDEX "pins_link" ON "pins" USING btree (md5("link")) WHERE "pins"."link" is not null;--> statement-breakpoint
-- Thousands of pins may lead to one address. Up to a hundred of an owner's are told one by one; of more one row says
-- that there was too much, so that a look costs a user's stream little whoever asked for it.
CREATE OR REPLACE FUNCTION note_link_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
  posts text[];
BEGIN
  FOR owner, posts IN
    SELECT user_id, CASE WHEN count(*) <= 100 THEN array_agg(id ORDER BY id) END FROM pins
    WHERE md5(link) = md5(NEW.url) AND link = NEW.url AND status IN ('draft', 'scheduled', 'failed')
    GROUP BY user_id ORDER BY hashtext(user_id)
  LOOP
    PERFORM pg_advisory_xact_lock(hashtext('live_events'), hashtext(owner));
    IF posts IS NULL THEN
      INSERT INTO live_events (user_id, kind, subject) VALUES (owner, 'reset', owner);
    ELSE
      INSERT INTO live_events (user_id, kind, subject) SELECT owner, 'post', id FROM unnest(posts) AS id;
    END IF;
    PERFORM pg_notify('live', owner);
  END LOOP;
  RETURN NULL;
END $$;
