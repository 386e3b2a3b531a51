import { DocumentPage } from "#components/site/document-page.tsx";
import { LAST_UPDATED } from "#components/site/legal/refund-sections.tsx";
import { moneyTerms } from "#components/site/legal/terms-money.tsx";
import { serviceTerms } from "#components/site/legal/terms-service.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/terms-of-service");

export default async function TermsPage() {
  const product = await productFacts();
  return (
    <>
      <PageJsonLd product={product} path="/terms-of-service" />
      <DocumentPage
        title="Terms of service"
        lead={`What you can expect from ${product.name}, and what we expect from you.`}
        note={LAST_UPDATED}
        sections={[...serviceTerms(product), ...moneyTerms(product)]}
      />
    </>
  );
}
