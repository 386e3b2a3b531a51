import { DocumentPage } from "#components/site/document-page.tsx";
import { LAST_UPDATED, refundSections } from "#components/site/legal/refund-sections.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { REFUND_WINDOW_DAYS } from "#lib/features/billing/constants.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/refund-policy");

export default async function RefundPolicyPage() {
  const product = await productFacts();
  return (
    <>
      <PageJsonLd product={product} path="/refund-policy" />
      <DocumentPage
        title="Refund policy"
        lead={`Subscription fees are refundable on request: within ${REFUND_WINDOW_DAYS.monthly} days for monthly plans and ${REFUND_WINDOW_DAYS.annual} days for annual plans. Purchased credits are not refundable.`}
        note={LAST_UPDATED}
        sections={refundSections(product)}
      />
    </>
  );
}
