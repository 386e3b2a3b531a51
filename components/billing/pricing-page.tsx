import Link from "next/link";
import type { ReactNode } from "react";
import { PaymentLink } from "#components/billing/payment-link.tsx";
import { PlanColumns } from "#components/billing/plan-columns.tsx";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { WideHead } from "#components/site/page-parts.tsx";
import type { PagePath } from "#components/site/page-words.ts";
import { PackTable, Quarters } from "#components/site/plan-teaser.tsx";
import { PageThings, type ThingFacts } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { REFUND_WINDOW_DAYS } from "#lib/features/billing/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";

const RULES = [
  {
    title: "A credit is a pin",
    words: `${COST_CREDITS.standard} for a pin in standard quality, ${COST_CREDITS.high} for one in high quality. Editing, scheduling and publishing are free.`,
  },
  {
    title: "Failed pins cost nothing",
    words: "Credits are set aside at the start, spent when the pin is finished, and given back when it is not.",
  },
  {
    title: "The plan’s credits first",
    words: "They are renewed each period and do not carry over. Purchased credits come after them, and do not expire.",
  },
  {
    title: "Month by month",
    words: `Paid plans renew monthly until you cancel. Their fee comes back on request within ${REFUND_WINDOW_DAYS.monthly} days; purchased credits are not refundable.`,
  },
] as const;

type PricingPageProps = {
  product: ThingFacts & { adPixelId?: string | undefined };
  path: PagePath;
  /** How a payment ended, above everything else; nothing is granted for it. */
  result?: ReactNode;
};

/** Pricing, readable by all (A-05, R-ROUTE-07), and where the payment provider leads back to (R-ROUTE-15). */
export function PricingPage({ product, path, result }: PricingPageProps) {
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageThings product={product} path={path} />
      <PaymentLink />
      {result && (
        <div data-slot="pricing-result" className="site-width pt-2">
          {result}
        </div>
      )}
      <WideHead title="You pay for pins that get finished">
        Start with the free plan and move when you need more. Every plan makes the same pins.
      </WideHead>
      <section className="site-width" aria-labelledby="plans">
        <h2 id="plans" className="sr-only">
          Plans
        </h2>
        <PlanColumns adPixelId={product.adPixelId} />
        <p className="mt-4.5 text-sm text-ink-3">
          In US dollars, before tax. Signed in, you see what a plan costs where you are, taxes included. Paid plans
          renew monthly until you cancel.
        </p>
      </section>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="rules">
        <h2 id="rules" className="display text-d3">
          How credits work
        </h2>
        <Quarters entries={RULES} />
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
            When a month takes more than your plan includes, packs fill the gap. A larger plan makes each credit
            cheaper.
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
