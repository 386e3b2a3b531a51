"use client";

import Ban from "lucide-react/icons/ban";
import CircleCheck from "lucide-react/icons/circle-check";
import Clock from "lucide-react/icons/clock";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { SettingsFacts } from "#components/shared/facts.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip, type ChipTone } from "#components/ui/chip.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { CREDITS_HISTORY_PATH } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import { mayCancel } from "#lib/features/billing/policy.ts";
import type { AddressWire, CancelWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { dateWords, listPriceWords, statusLook } from "./subscription-words.ts";
import { useSetSubscription, useSubscriptionQuery } from "./use-subscription.ts";

type SubscriptionState = {
  subscription: SubscriptionWire;
  /** It could not be read again: what is shown may be out of date. */
  isStale: boolean;
  reload: () => void;
  /** Shows what a call that changed it answered. */
  put: (subscription: SubscriptionWire) => void;
};

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/**
 * The subscription as the documented call tells it, from the server's first paint on (R-SET-02). Read again when credits
 * move, which a renewal does, and when the browser comes back from the provider's pages. A 404 leaves what is shown
 * (R-PRICE-10).
 */
function useSubscription(initial: SubscriptionWire): SubscriptionState {
  const { data, error, reload } = useSubscriptionQuery();
  const put = useSetSubscription();
  const shown = data ?? initial;
  // What the server painted around it, the plan beside the credits among it, is to say the same.
  const router = useRouter();
  const painted = useRef(initial.plan.slug);
  const plan = shown.plan.slug;
  useEffect(() => {
    if (painted.current === plan) return;
    painted.current = plan;
    router.refresh();
  }, [plan, router]);
  return { subscription: shown, isStale: error !== null && !isAbsent(error), reload, put };
}

type PlanCalls = {
  /** What the last of them failed with; it stays until the next try. */
  problem: string | null;
  setProblem: (text: string | null) => void;
  isKeeping: boolean;
  /** Takes a cancellation back, or has a paused plan go on. */
  keep: () => Promise<void>;
  isOpeningPortal: boolean;
  /** Goes to the provider's page where the way of paying is changed. */
  openPortal: () => void;
};

/** What the card of the plan asks the server to do without asking the person again. */
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
    const { url } = await api.post<AddressWire>("/api/users/subscription/portal/");
    window.location.assign(url);
  }

  return {
    problem,
    setProblem,
    isKeeping: busy === "keep",
    keep: () => run("keep", keep, SETTINGS_TEXTS.keepFailed),
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
  /** What gets the focus once the button that asked is gone. */
  focusAfter: () => HTMLElement | null;
};

/** Asks before a subscription is cancelled; declining sends nothing (R-SET-05, R-SET-07 to R-SET-09). */
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
      You keep the {plan.name} plan {end_date ? `until ${formatDate(end_date, timeZone)}` : "to the end of its period"}.
      After that your account goes on with the free plan: {formatCount(creditsPerPeriod)} credits a month and {accounts}{" "}
      Pinterest account. Credits you bought stay, and no account or pin is removed.
    </ConfirmDialog>
  );
}

const ICONS: Partial<Record<ChipTone, typeof Ban>> = { published: CircleCheck, scheduled: Clock, canceling: Clock };

function StatusChip({ status }: { status: SubscriptionWire["status"] }) {
  const { word, tone } = statusLook(status);
  const Icon = ICONS[tone] ?? Ban;
  return (
    <Chip tone={tone} icon={<Icon aria-hidden="true" />}>
      {word}
    </Chip>
  );
}

type Mend = { isBusy: boolean; run: () => void };

function Facts({ subscription, timeZone }: { subscription: SubscriptionWire; timeZone: string }) {
  const { plan } = subscription;
  const date = dateWords(subscription, timeZone);
  const facts = [
    ["Price", listPriceWords(plan.slug)],
    ["Credits", `${formatCount(plan.features.credits)} a month`],
    ["Pinterest accounts", String(PLANS[plan.slug].accounts)],
    ...(date ? [[date.label, date.value] as const] : []),
  ] as const;
  return <SettingsFacts facts={facts} className="num" />;
}

/** A renewal that could not be charged, in red, with the way to mend it. */
function PaymentProblem({ problem, mend }: { problem: "past_due" | "paused"; mend: Mend }) {
  return (
    <Banner tone="failed" className="mb-5">
      <p>
        {problem === "past_due"
          ? "Your last payment failed. Your plan still holds while it is tried again."
          : "Your plan is paused because its payments failed, and the free plan applies. Update your payment method, then resume it."}
      </p>
      <Button size="sm" className="mt-3" isBusy={mend.isBusy} onClick={mend.run}>
        Update payment method
      </Button>
    </Banner>
  );
}

type PlanCallsOfCard = ReturnType<typeof usePlanCalls>;

/** A paused plan goes on after a question: it is charged at once. */
function ResumePlan({ plan, calls }: { plan: PlanSlug; calls: PlanCallsOfCard }) {
  const [isAsking, setAsking] = useState(false);
  const resume = async () => {
    await calls.keep();
    setAsking(false);
  };
  return (
    <>
      <Button variant="primary" onClick={() => setAsking(true)}>
        Resume my plan
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        question="Resume your plan?"
        declineLabel="Not now"
        confirmLabel="Resume and pay"
        isBusy={calls.isKeeping}
        onDecline={() => setAsking(false)}
        onConfirm={resume}
      >
        A new month of the {PLANS[plan].name} plan begins now, {listPriceWords(plan)}, and is charged at once.
      </ConfirmDialog>
    </>
  );
}

/** The one thing to do about the plan as it stands. */
function PlanAction({ subscription, calls }: { subscription: SubscriptionWire; calls: PlanCallsOfCard }) {
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

/** The plan: what it is, until when, and what can be done about it (R-SET-02, R-SET-06, R-SUB-01 to R-SUB-06). */
export function SubscriptionCard({ initial, timeZone: painted }: SubscriptionCardProps) {
  const timeZone = useTimeZone(painted);
  const { subscription, isStale, reload, put } = useSubscription(initial);
  const [isAsking, setAsking] = useState(false);
  const calls = usePlanCalls(put);
  const title = useRef<HTMLParagraphElement>(null);
  const { plan, status, next_plan, end_date, payment_problem } = subscription;
  const isFree = plan.slug === "free";
  const mend = { isBusy: calls.isOpeningPortal, run: calls.openPortal };

  return (
    <>
      {payment_problem && <PaymentProblem problem={payment_problem} mend={mend} />}
      {isStale && (
        <Banner
          tone="failed"
          isAnnounced
          className="mb-5"
          action={
            <Button size="sm" onClick={reload}>
              Try again
            </Button>
          }
        >
          {SETTINGS_TEXTS.subscriptionFailed}
        </Banner>
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
          From {formatDate(end_date, timeZone)} on you are on the {PLANS[next_plan].name} plan,{" "}
          {listPriceWords(next_plan)}.
        </Banner>
      )}
      {status === "active (canceling)" && (
        <p className="mt-4 text-sm text-ink-3">
          Nothing more is charged. After that day your account goes on with the free plan.
        </p>
      )}
      <div className="mt-6 flex flex-wrap gap-2.5">
        <PlanAction subscription={subscription} calls={calls} />
        <LinkButton href="/app/buy-credits">Buy credits</LinkButton>
        <LinkButton href={CREDITS_HISTORY_PATH}>Credits history</LinkButton>
        {!isFree && !payment_problem && (
          <Button isBusy={mend.isBusy} onClick={mend.run}>
            Update payment method
          </Button>
        )}
        {mayCancel(subscription) && (
          <Button
            variant="danger-quiet"
            onClick={() => {
              calls.setProblem(null);
              setAsking(true);
            }}
          >
            Cancel subscription
          </Button>
        )}
      </div>
      {/* The notice that announces it goes after three seconds. */}
      {calls.problem && (
        <Banner tone="failed" className="mt-4">
          {calls.problem}
        </Banner>
      )}
      <CancelDialog
        isOpen={isAsking}
        subscription={subscription}
        timeZone={timeZone}
        onClose={() => setAsking(false)}
        onCanceled={put}
        onFailed={calls.setProblem}
        focusAfter={() => (mayCancel(subscription) ? null : title.current)}
      />
    </>
  );
}
