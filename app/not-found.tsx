import type { Metadata } from "next";
import { LostPin } from "#components/site/lost-pin.tsx";
import { SiteFooter } from "#components/site/site-footer.tsx";
import { SiteHeader } from "#components/site/site-header.tsx";
import { productFacts } from "./facts.ts";

export const metadata: Metadata = { title: "Page Not Found", robots: { index: false } };

export default async function NotFound() {
  const facts = await productFacts();
  return (
    <>
      <SiteHeader name={facts.name} />
      <main id="main">
        <LostPin />
      </main>
      <SiteFooter product={facts} year={new Date().getUTCFullYear()} />
    </>
  );
}
