import type { Metadata } from "next";
import { LostPin } from "#components/site/lost-pin.tsx";
import { SiteFooter } from "#components/site/site-footer.tsx";
import { SiteHeader } from "#components/site/site-header.tsx";
import { optionalUser } from "#lib/server/actor.ts";
import { productFacts } from "./facts.ts";
import { chosenTheme } from "./theme.ts";

export const metadata: Metadata = { title: "Page Not Found", robots: { index: false } };

export default async function NotFound() {
  const facts = await productFacts();
  const [user, theme] = await Promise.all([optionalUser(), chosenTheme()]);
  return (
    <>
      <SiteHeader name={facts.name} isSignedIn={user !== null} />
      <main id="main">
        <LostPin />
      </main>
      <SiteFooter product={facts} theme={theme} year={new Date().getUTCFullYear()} />
    </>
  );
}
