-- Runs at the commit. A user's commits stand in line from here until they are visible, so that of a user's events a
-- later one is never seen before an earlier one, and who has seen one has missed none before it (decision 0009).
CREATE FUNCTION note_live_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
  thing text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    owner := OLD.user_id;
    thing := OLD.id;
  ELSIF TG_ARGV[0] = 'credits' THEN
    owner := NEW.user_id;
    thing := NEW.user_id;
  ELSE
    owner := NEW.user_id;
    thing := NEW.id;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('live_events'), hashtext(owner));
  INSERT INTO live_events (user_id, kind, subject) VALUES (owner, TG_ARGV[0], thing);
  PERFORM pg_notify('live', owner);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION tell_login_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('live', NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER generation_tasks_live AFTER UPDATE ON generation_tasks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.finished_at IS NULL AND (OLD.status, OLD.title, OLD.description, OLD.image_key, OLD.reason)
    IS DISTINCT FROM (NEW.status, NEW.title, NEW.description, NEW.image_key, NEW.reason))
  EXECUTE FUNCTION note_live_event('task');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER generation_groups_live_start AFTER INSERT ON generation_groups
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_live_event('group');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER generation_groups_live AFTER UPDATE ON generation_groups
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION note_live_event('group');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pins_live_start AFTER INSERT ON pins
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_live_event('post');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pins_live AFTER UPDATE ON pins
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.status, OLD.title, OLD.description, OLD.alt_text, OLD.link, OLD.board_id, OLD.scheduled_at,
      OLD.published_at, OLD.pinterest_pin_id, OLD.reason, OLD.may_be_published)
    IS DISTINCT FROM (NEW.status, NEW.title, NEW.description, NEW.alt_text, NEW.link, NEW.board_id, NEW.scheduled_at,
      NEW.published_at, NEW.pinterest_pin_id, NEW.reason, NEW.may_be_published))
  EXECUTE FUNCTION note_live_event('post');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pins_live_end AFTER DELETE ON pins
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_live_event('post_removed');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pinterest_accounts_live_start AFTER INSERT ON pinterest_accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_live_event('account');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER pinterest_accounts_live AFTER UPDATE ON pinterest_accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.status, OLD.username) IS DISTINCT FROM (NEW.status, NEW.username))
  EXECUTE FUNCTION note_live_event('account');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER credit_balances_live_start AFTER INSERT ON credit_balances
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_live_event('credits');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER credit_balances_live AFTER UPDATE ON credit_balances
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.allowance, OLD.purchased) IS DISTINCT FROM (NEW.allowance, NEW.purchased))
  EXECUTE FUNCTION note_live_event('credits');
--> statement-breakpoint
CREATE TRIGGER logins_live AFTER UPDATE OF revoked_at ON logins
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION tell_login_end();
--> statement-breakpoint
INSERT INTO live_horizon DEFAULT VALUES;
