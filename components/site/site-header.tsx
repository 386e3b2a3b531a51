import Menu from "lucide-react/icons/menu";
import { IconButton } from "#components/ui/icon-button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SITE_BAR, SITE_MENU } from "./frame.ts";
import { Logo } from "./logo.tsx";
import { HEADER_PAGES } from "./pages.ts";
import { SessionMark, SiteNav } from "./site-nav.tsx";

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

const LINKS = HEADER_PAGES.map(({ path, label }) => ({ path, label }));

const MENU_ID = "site-menu";

/**
 * The bar's links on small screens. The browser's own popover: it opens without our scripts, closes by Escape and by a
 * press beside it, and gives the focus back.
 */
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

/** The bar above every public page (R-NAV-01..03). On small screens its links move into a menu. */
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
