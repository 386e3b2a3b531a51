"use client";

import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useCredits } from "#components/credits/credits-context.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { formatCount } from "#lib/core/numbers.ts";
import { TEXTS } from "#lib/features/credits/constants.ts";
import { toCreditsView } from "#lib/features/credits/policy.ts";

/** The balance in the sidebar: amber, 'Low' and a sentence under ten, else 'Available' (R-CRED-02, R-CRED-03, R-NAV-06, R-NAV-07). */
export function CreditPanel({ planName }: { planName: string }) {
  const { availableCredits, isStale } = useCredits();
  const view = toCreditsView(availableCredits);
  const Icon = view.low ? TriangleAlert : Check;
  return (
    <section
      className={cn("credit-panel", view.low && "credit-panel-low")}
      aria-label="Credits"
      data-testid="credit-panel"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on the rail the focus shows the sentence, as hovering does
      tabIndex={0}
    >
      <div className="credit-head">
        <span className="credit-number num">{formatCount(availableCredits)}</span>
        <Chip tone={view.low ? "low" : "published"} icon={<Icon aria-hidden="true" />} className="credit-chip">
          {view.label}
        </Chip>
      </div>
      <p className="credit-words">
        {view.text ?? `${planName} plan`}
        {isStale && <span className="mt-1 block">The balance could not be read again just now.</span>}
      </p>
      <LinkButton href="/app/buy-credits" size="sm" className="credit-buy">
        {TEXTS.buyMore}
      </LinkButton>
    </section>
  );
}

/** The same in the top bar of small screens. */
export function CreditChip() {
  const { availableCredits } = useCredits();
  const { low, label } = toCreditsView(availableCredits);
  return (
    <Chip tone={low ? "low" : "plain"} className="num">
      {low && <TriangleAlert aria-hidden="true" />}
      <span>
        {formatCount(availableCredits)}
        <span className="sr-only"> credits, {label}</span>
        <span aria-hidden="true"> credits</span>
      </span>
    </Chip>
  );
}
