import type { Metadata } from "next";
import { LostPin } from "#components/site/lost-pin.tsx";
import { PlainHeader } from "#components/site/plain-header.tsx";
import { productFacts } from "./facts.ts";

export const metadata: Metadata = { title: "Page Not Found", robots: { index: false } };

/**
 * For addresses that lead nowhere. Next hands this page's scripts to every other page as well, so nothing on it needs
 * any: its links are the browser's own.
 */
export default async function NotFound() {
  const { name } = await productFacts();
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <PlainHeader name={name} />
      <main id="main" tabIndex={-1} className="outline-none">
        <LostPin />
      </main>
    </>
  );
}
