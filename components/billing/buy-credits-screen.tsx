"use client";

import { BuyQuestions } from "#components/billing/buy-questions.tsx";
import { PackChoice } from "#components/billing/pack-choice.tsx";
import { PurchaseSummary } from "#components/billing/purchase-summary.tsx";
import { type BuyCreditsFirst, useBuyCredits } from "#components/billing/use-buy-credits.ts";
import { useCredits } from "#components/credits/credits-context.tsx";
import { PageHead } from "#components/shell/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatDollarsAndTenths } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { BUY_TEXTS } from "#lib/features/billing/constants.ts";
import { toCreditsView } from "#lib/features/credits/policy.ts";
import { PLANS, type PlanSlug } from "#lib/features/identity/constants.ts";

/** What there is, on which plan, and what one more costs (R-BUY-02, R-BUY-03). */
function Balance({ plan, availableCredits }: { plan: PlanSlug; availableCredits: number }) {
  const { low, label } = toCreditsView(availableCredits);
  const facts = [
    { what: "Plan", value: PLANS[plan].name },
    { what: "Price per credit", value: formatDollarsAndTenths(PLANS[plan].extraCreditTenthsOfCent) },
  ];
  return (
    <dl className={cn("buy-balance num", low && "buy-balance-low")}>
      <div>
        <dt>Available credits</dt>
        <dd className="buy-balance-credits">
          <span className="buy-balance-number" data-testid="buy-balance">
            {formatCount(availableCredits)}
          </span>{" "}
          <span>{label}</span>
        </dd>
      </div>
      {facts.map(({ what, value }) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Buy Credits (R-BUY-01 to R-BUY-23). */
export function BuyCreditsScreen({ first }: { first: BuyCreditsFirst }) {
  const { availableCredits } = useCredits();
  const { plan, includedCredits, pack, choosePack, isProcessing, error, news, buy } = useBuyCredits(first);
  const { text: lowText } = toCreditsView(availableCredits);
  return (
    <>
      <PageHead title={BUY_TEXTS.title}>Extra credits at your plan’s price. They do not expire.</PageHead>
      <div className="buy-columns">
        <div className="min-w-0">
          <Balance plan={plan} availableCredits={availableCredits} />
          {lowText !== null && news?.tone !== "success" && (
            <Banner tone="low" className="mb-6">
              {lowText}
            </Banner>
          )}
          <PackChoice plan={plan} value={pack} onChange={choosePack} isLocked={isProcessing} />
        </div>
        <PurchaseSummary
          plan={plan}
          pack={pack}
          availableCredits={availableCredits}
          includedCredits={includedCredits}
          isProcessing={isProcessing}
          onBuy={buy}
        >
          <div className="buy-news">
            {error !== null && (
              <Banner tone="failed" isAnnounced>
                {error}
              </Banner>
            )}
            {news && (
              <Banner tone={news.tone} isAnnounced>
                {news.text}
              </Banner>
            )}
          </div>
        </PurchaseSummary>
      </div>
      <BuyQuestions />
    </>
  );
}
