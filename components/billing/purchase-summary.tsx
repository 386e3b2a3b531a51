import CreditCard from "lucide-react/icons/credit-card";
import Lock from "lucide-react/icons/lock";
import Zap from "lucide-react/icons/zap";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { formatDollarsAndCents, formatDollarsAndTenths } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { BUY_TEXTS, includedText, type PackCredits } from "#lib/features/billing/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/identity/constants.ts";

const TRUST_ICONS = [Lock, Zap, CreditCard] as const;

type PurchaseSummaryProps = {
  plan: PlanSlug;
  pack: PackCredits | null;
  availableCredits: number;
  includedCredits: number | null;
  isProcessing: boolean;
  onBuy: () => void;
  /** What went wrong, or well: below the button, which keeps its place. */
  children?: ReactNode;
};

function Lines({ plan, pack, availableCredits }: Pick<PurchaseSummaryProps, "plan" | "pack" | "availableCredits">) {
  const perCredit = PLANS[plan].extraCreditTenthsOfCent;
  const lines = [
    { what: "Credits", value: pack === null ? "–" : formatCount(pack) },
    { what: "Per credit", value: formatDollarsAndTenths(perCredit) },
    { what: "Discount", value: "0%" },
    { what: "Balance after", value: formatCount(availableCredits + (pack ?? 0)) },
  ];
  return (
    <dl className="summary-lines num">
      {lines.map(({ what, value }) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div className="summary-total">
        <dt>Total</dt>
        <dd>{formatDollarsAndCents(perCredit * (pack ?? 0))}</dd>
      </div>
    </dl>
  );
}

/** What is about to be bought, the button that does it, and what one can rely on (R-BUY-04, R-BUY-08, R-BUY-09). */
export function PurchaseSummary(props: PurchaseSummaryProps) {
  const { plan, pack, availableCredits, includedCredits, isProcessing, onBuy, children } = props;
  return (
    <aside className="card purchase-summary" aria-label="Your purchase">
      <h2 className="title-3">Your purchase</h2>
      <Lines plan={plan} pack={pack} availableCredits={availableCredits} />
      <Button
        variant="primary"
        size="lg"
        className="mt-3.5 w-full"
        isBusy={isProcessing}
        busyLabel={BUY_TEXTS.processing}
        onClick={onBuy}
      >
        {BUY_TEXTS.purchase}
      </Button>
      {children}
      <p className="mt-2.5 text-xs text-ink-3">Taxes, and your currency, are shown before you pay.</p>
      <ul className="trust-notes">
        {BUY_TEXTS.trust.map((words, index) => {
          const Icon = TRUST_ICONS[index] ?? Lock;
          return (
            <li key={words}>
              <Icon aria-hidden="true" />
              {words}
            </li>
          );
        })}
      </ul>
      {includedCredits !== null && <p className="summary-plan">{includedText(includedCredits)}</p>}
    </aside>
  );
}
