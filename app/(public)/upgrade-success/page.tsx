import Link from "next/link";
import { LinkedPaymentResult } from "#components/billing/linked-result.tsx";
import { PricingPage } from "#components/billing/pricing-page.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/upgrade-success");

/** R-ROUTE-15, A-04: whoever opens this address is told how their payment ended, or where to look, and has nothing for it. */
export default async function Page() {
  return (
    <PricingPage
      product={await productFacts()}
      path="/upgrade-success"
      result={
        <LinkedPaymentResult>
          <b>Have you just paid? Thank you.</b>{" "}
          <span className="session-stored">
            Once the payment has settled, which takes a moment, your plan is marked below and your credits are there.
          </span>
          <span className="session-none">
            <Link className="link" href={`/login?next=${encodeURIComponent("/upgrade-success")}`}>
              Sign in
            </Link>{" "}
            to see your plan and your credits. The payment takes a moment to settle.
          </span>
        </LinkedPaymentResult>
      }
    />
  );
}
