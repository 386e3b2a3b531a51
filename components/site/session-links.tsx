import { SessionMark } from "#components/site/session-mark.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";

/**
 * Dashboard with a stored token, Sign in and Sign up without (R-NAV-02, R-NAV-03). Both are in the page, which is the
 * same for everybody; the root's `data-session` decides before the first paint which of them shows.
 */
export function SessionLinks() {
  return (
    <>
      <SessionMark />
      <LinkButton href="/app" variant="primary" className="session-stored">
        Dashboard
      </LinkButton>
      <LinkButton href="/login" variant="quiet" className="session-none">
        Sign in
      </LinkButton>
      <LinkButton href="/register" variant="primary" className="session-none">
        Sign up
      </LinkButton>
    </>
  );
}
