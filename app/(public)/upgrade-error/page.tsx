import Link from "next/link";
import { PricingPage } from "#components/billing/pricing-page.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/upgrade-error");

/** R-ROUTE-15, A-04 */
export default async function Page() {
  return (
    <PricingPage
      product={await productFacts()}
      path="/upgrade-error"
      result={
        <Banner tone="failed">
          <b>Did a payment not go through?</b> Then your plan is as it was. Try again below, or{" "}
          <Link className="link" href="/contact-us">
            write to us
          </Link>{" "}
          if you were charged all the same.
        </Banner>
      }
    />
  );
}
