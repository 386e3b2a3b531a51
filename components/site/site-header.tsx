import { Logo } from "#components/site/logo.tsx";
import { SessionLinks } from "#components/site/session-links.tsx";
import { SiteMenu } from "#components/site/site-menu.tsx";
import { SiteNav } from "#components/site/site-nav.tsx";

type SiteHeaderProps = { name: string; isSignedIn: boolean };

/** The bar above every public page (R-NAV-01..03). On small screens its links move into a menu. */
export function SiteHeader({ name, isSignedIn }: SiteHeaderProps) {
  return (
    <header className="site-bar">
      <Logo name={name} href="/" />
      <SiteNav className="site-nav" />
      <nav aria-label="Account" className="site-account">
        <SessionLinks isSignedIn={isSignedIn} />
      </nav>
      <SiteMenu />
    </header>
  );
}
