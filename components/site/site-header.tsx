import { Logo } from "#components/site/logo.tsx";
import { SessionLinks } from "#components/site/session-links.tsx";
import { SiteMenu } from "#components/site/site-menu.tsx";
import { SiteNav } from "#components/site/site-nav.tsx";

/** The bar above every public page (R-NAV-01..03). On small screens its links move into a menu. */
export function SiteHeader({ name }: { name: string }) {
  return (
    <header className="site-bar">
      <Logo name={name} href="/" />
      <SiteNav className="site-nav" />
      <nav aria-label="Account" className="site-account">
        <SessionLinks />
      </nav>
      <SiteMenu />
    </header>
  );
}
