"use client";

import { useLayoutEffect, useRef, useState } from "react";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { DetailList } from "#components/shared/detail-list.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { useUnmounted } from "#components/ui/use-latest.ts";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatNamedMoney } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import { CHANGE_POLL_MS, CHANGE_POLLS_MAX, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { ChangeWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { pollForPlan } from "./plan-watch.ts";

const PATH = "/api/users/subscription/change/";

/** `waiting`: charged, the plan change is pending; `late`: it takes longer than expected. */
type ChangeStage = "loading" | "ready" | "sending" | "waiting" | "late" | "failed";

/** A rate limit passes; any other client error stays. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

type ChangePlan = {
  preview: ChangeWire["preview"];
  /** Why the preview or the change failed. */
  problem: string | null;
  /** The server refuses the change; a retry would not help. */
  isRefused: boolean;
  stage: ChangeStage;
  confirm: () => void;
  retry: () => void;
};

/** Previews and makes a plan change. `onChanged` is called when the plan has changed or the change is scheduled. */
function useChangePlan(plan: PaidPlanSlug, onChanged: (subscription: SubscriptionWire) => void): ChangePlan {
  const { isSessionFailure } = useSessionEnd();
  const { data, error, isLoading, reload } = useApiQuery(["plan-change", plan], (signal) =>
    api.post<ChangeWire>(PATH, { plan, preview: true }, { signal }),
  );
  const [sending, setSending] = useState<"no" | "sending" | "waiting" | "late" | "failed">("no");
  const [refusal, setRefusal] = useState<string | null>(null);

  const controller = useRef<AbortController>(null);
  const isUnmounted = useUnmounted(() => controller.current?.abort());

  /** Polls until the paid plan is active. */
  async function waitForPlan(): Promise<void> {
    if (isUnmounted.current) return;
    setSending("waiting");
    controller.current = new AbortController();
    const { signal } = controller.current;
    const isDone = (subscription: SubscriptionWire) => subscription.plan.slug === plan;
    try {
      const poll = { isDone, intervalMs: CHANGE_POLL_MS, maxCalls: CHANGE_POLLS_MAX, signal, isTransient: () => false };
      const subscription = await pollForPlan(poll);
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

  const previewStage = isLoading ? "loading" : error === null ? "ready" : "failed";
  const previewProblem = error === null ? null : describeFailure(error, SETTINGS_TEXTS.changeFailed);
  return {
    preview: data?.preview ?? null,
    problem: sending === "late" ? SETTINGS_TEXTS.changeDelayed : (refusal ?? previewProblem),
    isRefused: isRefusal(error),
    stage: sending === "no" ? previewStage : sending,
    confirm: () => void confirm(),
    retry: reload,
  };
}

type Preview = NonNullable<ChangeWire["preview"]>;

function PreviewFacts({ plan, preview }: { plan: PaidPlanSlug; preview: Preview }) {
  const { currency, due_now, next_total, next_billed_at, takes_effect } = preview;
  const day = next_billed_at ? formatDate(next_billed_at, browserTimeZone()) : null;
  const atRenewal = day ? `On ${day}, at renewal` : "At your next renewal";
  const facts = [
    ["Due now", due_now === 0 ? "Nothing" : formatNamedMoney(due_now, currency)],
    [`${PLANS[plan].name} plan starts`, takes_effect === "now" ? "Immediately" : atRenewal],
    [day ? `Monthly from ${day}` : "Monthly after that", formatNamedMoney(next_total, currency)],
  ] as const;
  return <DetailList facts={facts} className="num mt-5" />;
}

function describeChange(plan: PaidPlanSlug, { takes_effect, due_now, credits_now }: Preview): string {
  const { name, creditsPerPeriod, accounts } = PLANS[plan];
  if (takes_effect === "now") {
    const counted = due_now > 0 ? " You'll only pay for the rest of this billing period." : "";
    const more = `${formatCount(credits_now)} more ${credits_now === 1 ? "credit" : "credits"}`;
    return `You'll be able to connect up to ${accounts} Pinterest accounts right away. You'll also get ${more} for the rest of this billing period, then ${formatCount(creditsPerPeriod)} credits a month.${counted}`;
  }
  return `You'll keep your current plan until then. After that, you'll be on the ${name} plan. None of your accounts or pins will be removed.`;
}

type ChangePlanDialogProps = {
  /** Null while the dialog is closed. */
  plan: PaidPlanSlug | null;
  /** `isPaidFor`: the change is paid and only its plan is still pending. */
  onClose: (isPaidFor: boolean) => void;
  onChanged: (subscription: SubscriptionWire) => void;
  /** Receives the focus after closing if the opener is removed; null keeps the opener. */
  focusAfter: () => HTMLElement | null;
};

type ChangePlanFormProps = {
  plan: PaidPlanSlug;
  onClose: () => void;
  onStage: (stage: ChangeStage) => void;
  onChanged: (subscription: SubscriptionWire) => void;
};

function ChangePlanForm({ plan, onClose, onStage, onChanged }: ChangePlanFormProps) {
  const { preview, problem, isRefused, stage, confirm, retry } = useChangePlan(plan, onChanged);
  const isSending = stage === "sending" || stage === "waiting";
  // A layout effect, so that Escape cannot close the dialog between the press and the request.
  useLayoutEffect(() => onStage(stage), [stage, onStage]);
  return (
    <>
      {stage === "loading" && (
        <p role="status" className="mt-5 flex items-center gap-3 text-ink-3">
          <Spinner />
          Checking the price…
        </p>
      )}
      {preview && (
        <>
          <PreviewFacts plan={plan} preview={preview} />
          <p className="mt-4 text-sm text-ink-2">{describeChange(plan, preview)}</p>
        </>
      )}
      {stage === "waiting" && (
        <p role="status" className="mt-4 text-sm text-ink-3">
          Payment received. Your plan will update in a moment…
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

/** Changes one paid plan to another: shows the cost, then asks to confirm. */
export function ChangePlanDialog({ plan, onClose, onChanged, focusAfter }: ChangePlanDialogProps) {
  // Keeps the last plan visible while the dialog fades out.
  const [last, setLast] = useState<PaidPlanSlug | null>(plan);
  if (plan !== null && plan !== last) setLast(plan);
  const [stage, setStage] = useState<ChangeStage>("loading");
  if (last === null) return null;
  /** Closing does not stop a charge, so the dialog stays open. */
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
      <ChangePlanForm key={last} plan={last} onClose={close} onStage={setStage} onChanged={onChanged} />
    </Dialog>
  );
}
