import { PricingPage } from "#components/billing/pricing-page.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/pricing");

export default async function Page() {
  return <PricingPage product={await productFacts()} path="/pricing" />;
}
