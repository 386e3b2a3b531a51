import Link from "next/link";
import { PricingPage } from "#components/billing/pricing-page.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/upgrade-error");

/** The payment provider redirects here after a failed payment. */
export default async function Page() {
  return (
    <PricingPage
      product={await productFacts()}
      path="/upgrade-error"
      result={
        <Banner tone="failed">
          <b>Payment didn’t go through?</b> Your plan hasn’t changed. Try again below, or{" "}
          <Link className="link" href="/contact-us">
            contact us
          </Link>{" "}
          if you were charged anyway.
        </Banner>
      }
    />
  );
}
