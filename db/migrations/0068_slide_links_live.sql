-- As before, and also for the links of slides.
CREATE OR REPLACE FUNCTION note_link_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
  posts text[];
BEGIN
  FOR owner, posts IN
    SELECT user_id, CASE WHEN count(*) <= 100 THEN array_agg(id ORDER BY id) END FROM pins
    WHERE status IN ('draft', 'scheduled', 'failed') AND id IN (
      SELECT id FROM pins WHERE md5(link) = md5(NEW.url) AND link = NEW.url
      UNION SELECT pin_id FROM pin_slides WHERE md5(link) = md5(NEW.url) AND link = NEW.url
    )
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
