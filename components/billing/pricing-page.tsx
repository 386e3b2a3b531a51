import Link from "next/link";
import type { ReactNode } from "react";
import { PaymentLink } from "#components/billing/payment-link.tsx";
import { PlanColumns } from "#components/billing/plan-columns.tsx";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import type { PagePath } from "#components/site/page-copy.ts";
import { WideHead } from "#components/site/page-parts.tsx";
import { FeatureColumns, PackTable } from "#components/site/plan-teaser.tsx";
import { PageJsonLd, type ThingFacts } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { REFUND_WINDOW_DAYS } from "#lib/features/billing/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";

const RULES = [
  {
    title: "Credits pay for pins",
    text: `A standard pin costs ${COST_CREDITS.standard} credit, and a high-quality pin costs ${COST_CREDITS.high}. Editing, scheduling, and publishing are free.`,
  },
  {
    title: "Failed pins cost nothing",
    text: "We reserve credits when generation starts, use them when the pin is done, and return them if it fails.",
  },
  {
    title: "Plan credits go first",
    text: "They renew each billing period and don’t roll over. Purchased credits are used after that and never expire.",
  },
  {
    title: "Billed monthly",
    text: `Paid plans renew monthly until you cancel. You can get the fee refunded within ${REFUND_WINDOW_DAYS.monthly} days; purchased credits are non-refundable.`,
  },
] as const;

type PricingPageProps = {
  product: ThingFacts & { adPixelId?: string | undefined };
  path: PagePath;
  /** The result of a payment, shown at the top. It grants nothing. */
  result?: ReactNode;
};

/** The public pricing page, also used for the pages that the payment provider returns to. */
export function PricingPage({ product, path, result }: PricingPageProps) {
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageJsonLd product={product} path={path} />
      <PaymentLink />
      {result && (
        <div data-slot="pricing-result" className="site-width pt-2">
          {result}
        </div>
      )}
      <WideHead title="Only pay for finished pins">
        Start on the Free plan and upgrade when you need more. If you upgrade mid-month, you pay only part of the price
        difference and get the same part of the extra credits, rounded up. You get the same pin quality on every plan.
      </WideHead>
      <section className="site-width" aria-labelledby="plans">
        <h2 id="plans" className="sr-only">
          Plans
        </h2>
        <PlanColumns adPixelId={product.adPixelId} />
        <p className="mt-4.5 text-sm text-ink-3">
          Prices are in US dollars, before tax. Sign in to see what a plan costs where you are, taxes included. Paid
          plans renew monthly until you cancel.
        </p>
      </section>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="rules">
        <h2 id="rules" className="display text-d3">
          How credits work
        </h2>
        <FeatureColumns entries={RULES} />
      </section>
      <section
        className={cn(
          "grid grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)] gap-y-10 gap-x-[clamp(40px,6vw,104px)]",
          "pb-[clamp(56px,7vw,104px)] max-lg:grid-cols-1",
          "site-width",
          "pt-[clamp(72px,10vw,148px)]",
        )}
        aria-labelledby="credits"
      >
        <div>
          <h2 id="credits" className="display text-d3">
            Extra credits
          </h2>
          <p className="mt-5 max-w-[38ch] text-pretty text-ink-2">
            When you need more than your plan includes, add a pack. Credits cost less on larger plans.
          </p>
          <p className="mt-5 session-stored">
            <Link className="link" href="/app/buy-credits">
              Buy credits
            </Link>
          </p>
          <p className="mt-5 text-sm text-ink-3">
            More in the{" "}
            <Link className="link" href="/faqs#account-billing">
              FAQs
            </Link>{" "}
            and the{" "}
            <Link className="link" href="/refund-policy">
              refund policy
            </Link>
            .
          </p>
        </div>
        <PackTable />
      </section>
    </>
  );
}
