import Link from "next/link";
import { LinkedPaymentResult } from "#components/billing/linked-result.tsx";
import { PricingPage } from "#components/billing/pricing-page.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/upgrade-success");

/** The payment provider redirects here after a payment. Opening the page grants nothing. */
export default async function Page() {
  return (
    <PricingPage
      product={await productFacts()}
      path="/upgrade-success"
      result={
        <LinkedPaymentResult>
          <b>Just paid? Thank you!</b>{" "}
          <span className="session-stored">
            It may take a moment to process your payment. After that, you’ll see your new plan below and your credits
            will be added.
          </span>
          <span className="session-none">
            <Link className="link" href={`/login?next=${encodeURIComponent("/upgrade-success")}`}>
              Sign in
            </Link>{" "}
            to see your plan and credits. It may take a moment to process your payment.
          </span>
        </LinkedPaymentResult>
      }
    />
  );
}
