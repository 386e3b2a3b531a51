"use client";

import { useLayoutEffect, useState } from "react";
import { type ChangeStage, useChangePlan } from "#components/billing/settings/use-change-plan.ts";
import { SettingsFacts } from "#components/identity/settings/settings-facts.tsx";
import { browserTimeZone } from "#components/shell/time-zone-cookie.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { formatNamedMoney } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { formatDate } from "#lib/core/time.ts";
import type { PaidPlanSlug } from "#lib/features/billing/constants.ts";
import type { ChangeWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

type Preview = NonNullable<ChangeWire["preview"]>;

function PreviewFacts({ plan, preview }: { plan: PaidPlanSlug; preview: Preview }) {
  const { currency, due_now, next_total, next_billed_at, takes_effect } = preview;
  const day = next_billed_at ? formatDate(next_billed_at, browserTimeZone()) : null;
  const atRenewal = day ? `On ${day}, with the renewal` : "With the next renewal";
  const facts = [
    ["Due now", due_now === 0 ? "Nothing" : formatNamedMoney(due_now, currency)],
    [`${PLANS[plan].name} plan begins`, takes_effect === "now" ? "At once" : atRenewal],
    [day ? `Each month from ${day}` : "Each month after", formatNamedMoney(next_total, currency)],
  ] as const;
  return <SettingsFacts facts={facts} className="num mt-5" />;
}

/** What the change means beside the money. */
function wordsOf(plan: PaidPlanSlug, { takes_effect, due_now }: Preview): string {
  const { name, creditsPerPeriod, accounts } = PLANS[plan];
  if (takes_effect === "now") {
    const counted = due_now > 0 ? " You pay for the rest of this period only." : "";
    return `You have ${accounts} Pinterest accounts and ${formatCount(creditsPerPeriod)} credits a month at once; credits you have used this month count towards them.${counted}`;
  }
  return `Your present plan stays until then. From there on it is the ${name} plan; no account or pin is removed.`;
}

type ChangePlanDialogProps = {
  /** The plan to change to; null: the dialog is closed. */
  plan: PaidPlanSlug | null;
  /** `isPaidFor`: the change was made and only its plan is on its way still. */
  onClose: (isPaidFor: boolean) => void;
  onChanged: (subscription: SubscriptionWire) => void;
  /** What gets the focus on closing where the opener goes as well; null leaves it to the opener. */
  focusAfter: () => HTMLElement | null;
};

type AskedProps = {
  plan: PaidPlanSlug;
  onClose: () => void;
  onStage: (stage: ChangeStage) => void;
  onChanged: (subscription: SubscriptionWire) => void;
};

function Asked({ plan, onClose, onStage, onChanged }: AskedProps) {
  const { preview, problem, isRefused, stage, confirm, retry } = useChangePlan(plan, onChanged);
  const isSending = stage === "sending" || stage === "waiting";
  // Before anything can be pressed: what is being charged is not waved away by a key in between.
  useLayoutEffect(() => onStage(stage), [stage, onStage]);
  return (
    <>
      {stage === "asking" && (
        <p role="status" className="mt-5 flex items-center gap-3 text-ink-3">
          <Spinner />
          Asking what it costs …
        </p>
      )}
      {preview && (
        <>
          <PreviewFacts plan={plan} preview={preview} />
          <p className="mt-4 text-sm text-ink-2">{wordsOf(plan, preview)}</p>
        </>
      )}
      {stage === "waiting" && (
        <p role="status" className="mt-4 text-sm text-ink-3">
          Paid. Your plan changes in a moment …
        </p>
      )}
      {problem && (
        <Banner tone="failed" isAnnounced className="mt-5">
          {problem}
        </Banner>
      )}
      <DialogActions>
        {problem && (
          <LinkButton variant="quiet" href="/app/settings#plan">
            Go to Settings
          </LinkButton>
        )}
        {stage !== "sending" && (
          <Button variant="quiet" onClick={onClose}>
            {problem || stage === "waiting" ? "Close" : "Keep my plan"}
          </Button>
        )}
        {stage === "failed" && !preview && !isRefused && (
          <Button variant="primary" onClick={retry}>
            Try again
          </Button>
        )}
        {preview && stage !== "late" && (
          <Button variant="primary" isBusy={isSending} onClick={confirm}>
            Change to {PLANS[plan].name}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

/** Changes one paid plan into another: what it costs first, then the confirmation. */
export function ChangePlanDialog({ plan, onClose, onChanged, focusAfter }: ChangePlanDialogProps) {
  // What was asked for last stays in view while the dialog fades.
  const [last, setLast] = useState<PaidPlanSlug | null>(plan);
  if (plan !== null && plan !== last) setLast(plan);
  const [stage, setStage] = useState<ChangeStage>("asking");
  if (last === null) return null;
  /** What is being charged cannot be stopped by looking away. */
  function close(): void {
    if (stage !== "sending") onClose(stage === "waiting" || stage === "late");
  }
  return (
    <Dialog
      isOpen={plan !== null}
      onClose={close}
      focusAfter={focusAfter}
      title={`Change to the ${PLANS[last].name} plan?`}
    >
      <Asked key={last} plan={last} onClose={close} onStage={setStage} onChanged={onChanged} />
    </Dialog>
  );
}
