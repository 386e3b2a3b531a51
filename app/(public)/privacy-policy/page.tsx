import type { Metadata } from "next";
import { DocumentPage } from "#components/site/document-page.tsx";
import { LAST_UPDATED } from "#components/site/legal/last-updated.ts";
import { dataSections } from "#components/site/legal/privacy-data.tsx";
import { rightsSections } from "#components/site/legal/privacy-rights.tsx";
import { sharingSections } from "#components/site/legal/privacy-sharing.tsx";
import { productFacts } from "../../facts.ts";

export const metadata: Metadata = { title: "Privacy Policy" };

export default async function PrivacyPolicyPage() {
  const product = await productFacts();
  return (
    <>
      <DocumentPage
        title="Privacy policy"
        lead={`Which data ${product.name} stores, who receives which of them, how long they are kept, and how you get or delete them.`}
        note={LAST_UPDATED}
        sections={[...dataSections(product), ...sharingSections(product), ...rightsSections(product)]}
      />
    </>
  );
}
