import type { ReactNode } from "react";
import { TimeZoneCookie } from "#components/shell/time-zone-cookie.tsx";
import { SiteFooter } from "#components/site/site-footer.tsx";
import { SiteHeader } from "#components/site/site-header.tsx";
import { optionalUser } from "#lib/server/actor.ts";
import { productFacts } from "../facts.ts";
import { chosenTheme } from "../theme.ts";

export default async function PublicLayout({ children }: { children: ReactNode }) {
  const facts = await productFacts();
  const [user, theme] = await Promise.all([optionalUser(), chosenTheme()]);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <TimeZoneCookie />
      <SiteHeader name={facts.name} isSignedIn={user !== null} />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      <SiteFooter product={facts} theme={theme} year={new Date().getUTCFullYear()} />
    </>
  );
}
