import type { Metadata } from "next";
import { DocumentPage } from "#components/site/document-page.tsx";
import { LAST_UPDATED } from "#components/site/legal/last-updated.ts";
import { moneyTerms } from "#components/site/legal/terms-money.tsx";
import { serviceTerms } from "#components/site/legal/terms-service.tsx";
import { productFacts } from "../../facts.ts";

export const metadata: Metadata = { title: "Terms of Service" };

export default async function TermsPage() {
  const product = await productFacts();
  return (
    <>
      <DocumentPage
        title="Terms of service"
        lead={`What you can expect of ${product.name}, and what we expect of you.`}
        note={LAST_UPDATED}
        sections={[...serviceTerms(product), ...moneyTerms(product)]}
      />
    </>
  );
}
