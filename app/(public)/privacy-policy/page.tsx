import { DocumentPage } from "#components/site/document-page.tsx";
import { dataSections } from "#components/site/legal/privacy-data.tsx";
import { rightsSections } from "#components/site/legal/privacy-rights.tsx";
import { sharingSections } from "#components/site/legal/privacy-sharing.tsx";
import { LAST_UPDATED } from "#components/site/legal/refund-sections.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/privacy-policy");

export default async function PrivacyPolicyPage() {
  const product = await productFacts();
  return (
    <>
      <PageJsonLd product={product} path="/privacy-policy" />
      <DocumentPage
        title="Privacy policy"
        lead={`What data ${product.name} stores, who receives it, how long we keep it, and how you can download or delete it.`}
        note={LAST_UPDATED}
        sections={[...dataSections(product), ...sharingSections(product), ...rightsSections(product)]}
      />
    </>
  );
}
