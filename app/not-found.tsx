import type { Metadata } from "next";
import { NotFoundPage } from "#components/site/not-found-page.tsx";
import { PlainHeader } from "#components/site/plain-header.tsx";
import { productFacts } from "./facts.ts";

export const metadata: Metadata = { title: "Page Not Found", robots: { index: false } };

/** The 404 page. Next loads its scripts on every page, so it uses plain links and no client components. */
export default async function NotFound() {
  const { name } = await productFacts();
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <PlainHeader name={name} />
      <main id="main" tabIndex={-1} className="outline-none">
        <NotFoundPage />
      </main>
    </>
  );
}
