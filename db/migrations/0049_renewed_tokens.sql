ALTER TABLE "logins" ADD COLUMN "access_version" integer;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "access_renewed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE TRIGGER logins_live_tokens AFTER UPDATE OF token_version ON logins
  FOR EACH ROW WHEN (OLD.token_version IS DISTINCT FROM NEW.token_version)
  EXECUTE FUNCTION notify_login_end();
