-- A look that has ended is told too when it found the same as before: somebody may be waiting for it.
DROP TRIGGER link_checks_live ON link_checks;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER link_checks_live AFTER UPDATE ON link_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (
    (OLD.wake_at IS NOT NULL AND NEW.wake_at IS NULL)
    OR (OLD.state, OLD.final_url, OLD.http_status) IS DISTINCT FROM (NEW.state, NEW.final_url, NEW.http_status)
  )
  EXECUTE FUNCTION note_link_check();
