import { LinkButton } from "#components/ui/link-button.tsx";
import { Logo } from "./logo.tsx";
import { SessionMark, SiteMenu, SiteNav } from "./site-nav.tsx";

/**
 * Dashboard with a stored token, Sign in and Sign up without (R-NAV-02, R-NAV-03). Both are in the page, which is the
 * same for everybody; the root's `data-session` decides before the first paint which of them shows.
 */
function SessionLinks() {
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

/** The bar above every public page (R-NAV-01..03). On small screens its links move into a menu. */
export function SiteHeader({ name }: { name: string }) {
  return (
    <header className="site-bar">
      <Logo name={name} href="/" />
      <SiteNav className="ml-4 max-md:hidden [&>ul]:flex" />
      <nav aria-label="Account" className="site-account flex items-center gap-2 ml-auto max-md:gap-0.5">
        <SessionLinks />
      </nav>
      <SiteMenu />
    </header>
  );
}
