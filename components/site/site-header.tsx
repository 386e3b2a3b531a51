import { Logo } from "#components/site/logo.tsx";
import { SessionLinks } from "#components/site/session-links.tsx";

type SiteHeaderProps = { name: string; isSignedIn: boolean };

/** The bar above every public page. */
export function SiteHeader({ name, isSignedIn }: SiteHeaderProps) {
  return (
    <header className="site-bar">
      <Logo name={name} href="/" />
      <nav aria-label="Account" className="ml-auto flex items-center gap-2">
        <SessionLinks isSignedIn={isSignedIn} />
      </nav>
    </header>
  );
}
