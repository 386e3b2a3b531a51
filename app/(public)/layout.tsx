import type { ReactNode } from "react";
import { TimeZoneCookie } from "#components/shared/browser-time-zone.tsx";
import { LazyAdConsent } from "#components/site/lazy-ad-consent.tsx";
import { SiteFooter } from "#components/site/site-footer.tsx";
import { SiteHeader } from "#components/site/site-header.tsx";
import { productFacts } from "../facts.ts";

export default async function PublicLayout({ children }: { children: ReactNode }) {
  const facts = await productFacts();
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <TimeZoneCookie />
      <SiteHeader name={facts.name} />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      <SiteFooter product={facts} year={new Date().getUTCFullYear()} />
      {facts.adPixelId && <LazyAdConsent pixelId={facts.adPixelId} productName={facts.name} />}
    </>
  );
}
