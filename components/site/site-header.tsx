import { LinkButton } from "#components/ui/link-button.tsx";
import { SITE_BAR } from "./frame.ts";
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
      <LinkButton href="/app" variant="primary" className="session-stored max-md:px-[11px]">
        Dashboard
      </LinkButton>
      <LinkButton href="/login" variant="quiet" className="session-none max-md:px-[11px]">
        Sign in
      </LinkButton>
      <LinkButton href="/register" variant="primary" className="session-none max-md:px-[11px]">
        Sign up
      </LinkButton>
    </>
  );
}

/** The bar above every public page (R-NAV-01..03). On small screens its links move into a menu. */
export function SiteHeader({ name }: { name: string }) {
  return (
    <header className={SITE_BAR}>
      <Logo name={name} href="/" nameClassName="max-[22.5rem]:hidden" />
      <SiteNav className="ml-4 max-md:hidden [&>ul]:flex" />
      <nav aria-label="Account" className="flex items-center gap-2 ml-auto max-md:gap-0.5">
        <SessionLinks />
      </nav>
      <SiteMenu />
    </header>
  );
}
