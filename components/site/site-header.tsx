import Menu from "lucide-react/icons/menu";
import { IconButton } from "#components/ui/icon-button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Logo } from "./logo.tsx";
import { HEADER_PAGES } from "./pages.ts";
import { SessionSync, SiteNav } from "./site-nav.tsx";
import { SITE_BAR, SITE_MENU } from "./site-style.ts";

/**
 * Dashboard for signed-in visitors, Sign in and Sign up for others. Static pages contain both; the root's `data-session`
 * selects them before the first paint.
 */
function SessionLinks() {
  return (
    <>
      <SessionSync />
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

const LINKS = HEADER_PAGES.map(({ path, label }) => ({ path, label }));

const MENU_ID = "site-menu";

/** The header's links on small screens, in a native popover that works without scripts. */
function SiteMenu() {
  return (
    <>
      <IconButton label="Menu" className="md:hidden" popoverTarget={MENU_ID}>
        <Menu aria-hidden="true" />
      </IconButton>
      <div id={MENU_ID} popover="auto" className={SITE_MENU}>
        <SiteNav pages={LINKS} />
      </div>
    </>
  );
}

/** The header of public pages. On small screens its links are in a menu. */
export function SiteHeader({ name }: { name: string }) {
  return (
    <header className={SITE_BAR}>
      <Logo name={name} href="/" nameClassName="max-[22.5rem]:hidden" />
      <SiteNav pages={LINKS} className="ml-4 max-md:hidden [&>ul]:flex" />
      <nav aria-label="Account" className="flex items-center gap-2 ml-auto max-md:gap-0.5">
        <SessionLinks />
      </nav>
      <SiteMenu />
    </header>
  );
}
