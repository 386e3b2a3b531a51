"use client";

import { useLayoutEffect, useRef, useState } from "react";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { SettingsFacts } from "#components/shared/facts.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { useGone } from "#components/ui/use-latest.ts";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatNamedMoney } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import { CHANGE_POLL_MS, CHANGE_POLLS_MAX, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { ChangeWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { searchPlan } from "./plan-watch.ts";

const PATH = "/api/users/subscription/change/";

/** `waiting`: charged, and the plan is on its way; `late`: it took longer than one likes to watch. */
type ChangeStage = "asking" | "asked" | "sending" | "waiting" | "late" | "failed";

/** Too many questions pass with time; every other refusal stays one. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

type ChangePlan = {
  preview: ChangeWire["preview"];
  /** Why it could not be previewed, or not be changed. */
  problem: string | null;
  /** The server will not do it as things are: asking again changes nothing. */
  isRefused: boolean;
  stage: ChangeStage;
  confirm: () => void;
  /** Asks again what it costs. */
  retry: () => void;
};

/** Previews a change of plan and makes it. `onChanged` is told once the new plan is there, or scheduled. */
function useChangePlan(plan: PaidPlanSlug, onChanged: (subscription: SubscriptionWire) => void): ChangePlan {
  const { isSessionFailure } = useSessionEnd();
  const { data, error, isLoading, reload } = useApiQuery(["plan-change", plan], (signal) =>
    api.post<ChangeWire>(PATH, { plan, preview: true }, signal),
  );
  const [sending, setSending] = useState<"no" | "sending" | "waiting" | "late" | "failed">("no");
  const [refusal, setRefusal] = useState<string | null>(null);

  const life = useRef<AbortController>(null);
  const isGone = useGone(() => life.current?.abort());

  /** Looks until the plan that was paid for is there. */
  async function waitForPlan(): Promise<void> {
    if (isGone.current) return;
    setSending("waiting");
    life.current = new AbortController();
    const { signal } = life.current;
    const isThere = (subscription: SubscriptionWire) => subscription.plan.slug === plan;
    try {
      const search = { isThere, everyMs: CHANGE_POLL_MS, times: CHANGE_POLLS_MAX, signal, mayPass: () => false };
      const subscription = await searchPlan(search);
      if (subscription) onChanged(subscription);
      else if (!signal.aborted) setSending("late");
    } catch (failure) {
      if (!isSessionFailure(failure)) setSending("late");
    }
  }

  async function confirm(): Promise<void> {
    setSending("sending");
    setRefusal(null);
    try {
      const { subscription } = await api.post<ChangeWire>(PATH, { plan });
      if (subscription === null) return setSending("failed");
      if (subscription.confirmation === "pending") return waitForPlan();
      onChanged(subscription);
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      setRefusal(describeFailure(failure, SETTINGS_TEXTS.changeFailed));
      setSending("failed");
    }
  }

  const asking = isLoading ? "asking" : error === null ? "asked" : "failed";
  const asked = error === null ? null : describeFailure(error, SETTINGS_TEXTS.changeFailed);
  return {
    preview: data?.preview ?? null,
    problem: sending === "late" ? SETTINGS_TEXTS.changeLate : (refusal ?? asked),
    isRefused: isRefusal(error),
    stage: sending === "no" ? asking : sending,
    confirm: () => void confirm(),
    retry: reload,
  };
}

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
