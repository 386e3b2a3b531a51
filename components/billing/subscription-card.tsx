"use client";

import Ban from "lucide-react/icons/ban";
import CircleCheck from "lucide-react/icons/circle-check";
import Clock from "lucide-react/icons/clock";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { DetailList } from "#components/shared/detail-list.tsx";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip, type ChipTone } from "#components/ui/chip.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { formatDollars } from "#lib/core/money.ts";
import { CREDITS_HISTORY_PATH } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import { canCancel } from "#lib/features/billing/policy.ts";
import type { CancelWire, SubscriptionWire, UrlWire } from "#lib/features/billing/schema.ts";
import { dateText, listPriceText, statusChip } from "./subscription-text.ts";
import { useSetSubscription, useSubscriptionQuery } from "./use-subscription.ts";

type SubscriptionState = {
  subscription: SubscriptionWire;
  /** The last refresh failed, so the shown state may be outdated. */
  isStale: boolean;
  reload: () => void;
  /** Shows the response of a call that changed the subscription. */
  setSubscription: (subscription: SubscriptionWire) => void;
};

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/**
 * The subscription, starting with the server-rendered one. Refreshed when credits change and when the user returns to
 * the page. A 404 keeps what is shown.
 */
function useSubscription(initial: SubscriptionWire): SubscriptionState {
  const { data, error, reload } = useSubscriptionQuery();
  const setSubscription = useSetSubscription();
  const shown = data ?? initial;
  // The rest of the page shows the plan too, so it is rendered again when the plan changes.
  const router = useRouter();
  const renderedPlan = useRef(initial.plan.slug);
  const plan = shown.plan.slug;
  useEffect(() => {
    if (renderedPlan.current === plan) return;
    renderedPlan.current = plan;
    router.refresh();
  }, [plan, router]);
  return { subscription: shown, isStale: error !== null && !isAbsent(error), reload, setSubscription };
}

type PlanCalls = {
  /** The error of the last call; stays until the next one. */
  problem: string | null;
  setProblem: (text: string | null) => void;
  isKeeping: boolean;
  /** Removes a scheduled cancellation or resumes a paused plan. */
  keep: () => Promise<void>;
  isOpeningPortal: boolean;
  /** Goes to the provider's page for changing the payment method. */
  openPortal: () => void;
};

/** The card's calls that need no confirmation. */
function usePlanCalls(onChanged: (subscription: SubscriptionWire) => void): PlanCalls {
  const [busy, setBusy] = useState<"keep" | "portal" | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();

  async function run(name: "keep" | "portal", call: () => Promise<void>, fallback: string): Promise<void> {
    setBusy(name);
    setProblem(null);
    try {
      await call();
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, fallback);
      notice.error(text);
      setProblem(text);
    } finally {
      setBusy(null);
    }
  }

  async function keep(): Promise<void> {
    const { message, subscription } = await api.post<CancelWire>("/api/users/subscription/resume/");
    onChanged(subscription);
    notice.success(message);
  }

  async function openPortal(): Promise<void> {
    const { url } = await api.post<UrlWire>("/api/users/subscription/portal/");
    window.location.assign(url);
  }

  return {
    problem,
    setProblem,
    isKeeping: busy === "keep",
    keep: () => run("keep", keep, SETTINGS_TEXTS.resumeFailed),
    isOpeningPortal: busy === "portal",
    openPortal: () => void run("portal", openPortal, SETTINGS_TEXTS.portalFailed),
  };
}

type CancelDialogProps = {
  isOpen: boolean;
  subscription: SubscriptionWire;
  timeZone: string;
  onClose: () => void;
  onCanceled: (subscription: SubscriptionWire) => void;
  onFailed: (text: string) => void;
  /** Receives the focus when the button that opened the dialog is removed. */
  focusAfter: () => HTMLElement | null;
};

/** Asks before a subscription is canceled; declining sends nothing. */
function CancelDialog(props: CancelDialogProps) {
  const { isOpen, subscription, timeZone, onClose, onCanceled, onFailed, focusAfter } = props;
  const [isBusy, setBusy] = useState(false);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const { plan, end_date } = subscription;
  const { creditsPerPeriod, accounts } = PLANS.free;

  async function cancel(): Promise<void> {
    setBusy(true);
    try {
      const answer = await api.post<CancelWire>("/api/users/subscription/cancel/");
      onCanceled(answer.subscription);
      notice.success(answer.message);
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, SETTINGS_TEXTS.cancelFailed);
      notice.error(text);
      onFailed(text);
    } finally {
      setBusy(false);
      onClose();
    }
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      question="Cancel your subscription?"
      declineLabel="Keep my plan"
      confirmLabel="Cancel subscription"
      isDangerous
      isBusy={isBusy}
      focusAfter={focusAfter}
      onDecline={onClose}
      onConfirm={cancel}
    >
      You'll keep the {plan.name} plan{" "}
      {end_date ? `until ${formatDate(end_date, timeZone)}` : "until the end of its billing period"}. After that, you'll
      be on the Free plan: {formatCount(creditsPerPeriod)} credits a month and {accounts} Pinterest account. You'll keep
      the credits you bought, and none of your accounts or pins will be removed.
    </ConfirmDialog>
  );
}

const ICONS: Partial<Record<ChipTone, typeof Ban>> = { published: CircleCheck, scheduled: Clock, canceling: Clock };

function StatusChip({ status }: { status: SubscriptionWire["status"] }) {
  const { text, tone } = statusChip(status);
  const Icon = ICONS[tone] ?? Ban;
  return (
    <Chip tone={tone} icon={<Icon aria-hidden="true" />}>
      {text}
    </Chip>
  );
}

type PaymentUpdate = { isBusy: boolean; run: () => void };

function Facts({ subscription, timeZone }: { subscription: SubscriptionWire; timeZone: string }) {
  const { plan } = subscription;
  const date = dateText(subscription, timeZone);
  const facts = [
    ["Price", listPriceText(plan.slug)],
    ["Credits", `${formatCount(plan.features.credits)} a month`],
    ["Pinterest accounts", String(PLANS[plan.slug].accounts)],
    ...(date ? [[date.label, date.value] as const] : []),
  ] as const;
  return <DetailList facts={facts} className="num" />;
}

function PaymentProblem({ problem, paymentUpdate }: { problem: "past_due" | "paused"; paymentUpdate: PaymentUpdate }) {
  return (
    <Banner tone="failed" className="mb-5">
      <p>
        {problem === "past_due"
          ? "Your last payment failed. You'll keep your plan while we retry the payment."
          : "Your plan is paused because your payments failed, so you're on the Free plan for now. Update your payment method, then resume it."}
      </p>
      <Button size="sm" className="mt-3" isBusy={paymentUpdate.isBusy} onClick={paymentUpdate.run}>
        Update payment method
      </Button>
    </Banner>
  );
}

/** Resuming asks first because it charges immediately. */
function ResumePlan({ plan, calls }: { plan: PlanSlug; calls: PlanCalls }) {
  const [isConfirming, setConfirming] = useState(false);
  const resume = async () => {
    await calls.keep();
    setConfirming(false);
  };
  return (
    <>
      <Button variant="primary" onClick={() => setConfirming(true)}>
        Resume my plan
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        question="Resume your plan?"
        declineLabel="Not now"
        confirmLabel="Resume and pay"
        isBusy={calls.isKeeping}
        onDecline={() => setConfirming(false)}
        onConfirm={resume}
      >
        Your {PLANS[plan].name} plan will start a new month today, and you'll be charged{" "}
        {formatDollars(PLANS[plan].priceTenthsOfCent)} plus tax now.
      </ConfirmDialog>
    </>
  );
}

/** The main action for the plan's current state. */
function PlanAction({ subscription, calls }: { subscription: SubscriptionWire; calls: PlanCalls }) {
  const { status, payment_problem, next_plan, plan } = subscription;
  if (payment_problem === "paused" && next_plan) return <ResumePlan plan={next_plan} calls={calls} />;
  if (status === "active (canceling)") {
    return (
      <Button variant="primary" isBusy={calls.isKeeping} onClick={calls.keep}>
        Keep my plan
      </Button>
    );
  }
  return <LinkButton href="/pricing">{plan.slug === "free" ? "Upgrade" : "Change plan"}</LinkButton>;
}

type SubscriptionCardProps = { initial: SubscriptionWire; timeZone: string };

/** The user's plan: what it is, how long it lasts, and what can be done about it. */
export function SubscriptionCard({ initial, timeZone: initialTimeZone }: SubscriptionCardProps) {
  const timeZone = useTimeZone(initialTimeZone);
  const { subscription, isStale, reload, setSubscription } = useSubscription(initial);
  const [isConfirming, setConfirming] = useState(false);
  const calls = usePlanCalls(setSubscription);
  const title = useRef<HTMLParagraphElement>(null);
  const { plan, status, next_plan, end_date, payment_problem } = subscription;
  const isFree = plan.slug === "free";
  const paymentUpdate = { isBusy: calls.isOpeningPortal, run: calls.openPortal };

  return (
    <>
      {payment_problem && <PaymentProblem problem={payment_problem} paymentUpdate={paymentUpdate} />}
      {isStale && (
        <LoadFailed className="mb-5" onRetry={reload}>
          {SETTINGS_TEXTS.subscriptionFailed}
        </LoadFailed>
      )}
      <p ref={title} tabIndex={-1} className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="title-3" data-testid="plan-name">
          {plan.name} plan
        </span>
        <StatusChip status={status} />
      </p>
      <Facts subscription={subscription} timeZone={timeZone} />
      {next_plan && end_date && payment_problem !== "paused" && (
        <Banner className="mt-5">
          Starting {formatDate(end_date, timeZone)}, you'll be on the {PLANS[next_plan].name} plan,{" "}
          {listPriceText(next_plan)}.
        </Banner>
      )}
      {status === "active (canceling)" && (
        <p className="mt-4 text-sm text-ink-3">
          You won't be charged again. After that date, you'll be on the Free plan.
        </p>
      )}
      <div className="mt-6 flex flex-wrap gap-2.5">
        <PlanAction subscription={subscription} calls={calls} />
        <LinkButton href="/app/buy-credits">Buy credits</LinkButton>
        <LinkButton href={CREDITS_HISTORY_PATH}>Credit activity</LinkButton>
        {!isFree && !payment_problem && (
          <Button isBusy={paymentUpdate.isBusy} onClick={paymentUpdate.run}>
            Update payment method
          </Button>
        )}
        {canCancel(subscription) && (
          <Button
            variant="danger-quiet"
            onClick={() => {
              calls.setProblem(null);
              setConfirming(true);
            }}
          >
            Cancel subscription
          </Button>
        )}
      </div>
      {/* The notice with the same text disappears after three seconds. */}
      {calls.problem && (
        <Banner tone="failed" className="mt-4">
          {calls.problem}
        </Banner>
      )}
      <CancelDialog
        isOpen={isConfirming}
        subscription={subscription}
        timeZone={timeZone}
        onClose={() => setConfirming(false)}
        onCanceled={setSubscription}
        onFailed={calls.setProblem}
        focusAfter={() => (canCancel(subscription) ? null : title.current)}
      />
    </>
  );
}
