import { AppError, unreachable } from "#lib/core/errors.ts";
import type { PaymentProblem } from "#lib/integrations/payments/port.ts";
import { BUY_TEXTS, CONFIRM_TEXTS, SETTINGS_TEXTS, UPGRADE_ORIGIN } from "./constants.ts";
import { type PaidPlanSlug, PLAN_ORDER, PLANS, type PlanSlug, type PriceKey } from "./plans.ts";
import type { SubscriptionStatusWire } from "./schema.ts";

export interface SubscriptionState {
  status: "active" | "trialing" | "past_due" | "paused" | "canceled";
  plan: PlanSlug | null;
  periodEndsAt: Date | null;
  scheduledAction: "cancel" | "pause" | "resume" | null;
  scheduledAt: Date | null;
  pausedAt: Date | null;
  canceledAt: Date | null;
}

interface Standing {
  status: SubscriptionStatusWire;
  autoRenew: boolean;
  endsAt: Date | null;
  paymentProblem: "past_due" | "paused" | null;
}

export const comparePlans = (a: PlanSlug, b: PlanSlug): number => PLAN_ORDER.indexOf(a) - PLAN_ORDER.indexOf(b);

export const isCanceling = ({ status, scheduledAction, scheduledAt }: SubscriptionState, now: Date): boolean =>
  status !== "canceled" && scheduledAction === "cancel" && (scheduledAt === null || scheduledAt > now);

export const hasEnded = (state: SubscriptionState, now: Date): boolean =>
  state.status === "canceled" || (state.scheduledAction === "cancel" && !isCanceling(state, now));

/** A scheduled end counts from its time on, even before the provider's event arrives. */
export const subscriptionStatusOf = (state: SubscriptionState | null, now: Date): Standing => {
  const none = { autoRenew: false, paymentProblem: null };
  if (!state) return { status: "no_subscription", endsAt: null, ...none };
  if (hasEnded(state, now)) return { status: "canceled", endsAt: state.canceledAt ?? state.scheduledAt, ...none };
  if (state.status === "paused") {
    return { status: "canceled", autoRenew: false, endsAt: state.pausedAt, paymentProblem: "paused" };
  }
  const paymentProblem = state.status === "past_due" ? "past_due" : null;
  if (isCanceling(state, now)) {
    return {
      status: "active (canceling)",
      autoRenew: false,
      endsAt: state.scheduledAt ?? state.periodEndsAt,
      paymentProblem,
    };
  }
  const status = state.status === "trialing" ? "trial" : "active";
  return { status, autoRenew: true, endsAt: state.periodEndsAt, paymentProblem };
};

/** Also the plan that a paused subscription resumes with; null when the current plan is charged again. */
export const nextPlanOf = (state: SubscriptionState | null, plan: PlanSlug, now: Date): PlanSlug | null => {
  const { autoRenew, paymentProblem } = subscriptionStatusOf(state, now);
  if (state?.plan && paymentProblem === "paused") return state.plan;
  if (!state?.plan || !autoRenew) return null;
  return comparePlans(state.plan, plan) < 0 ? state.plan : null;
};

export type ChangeAction =
  | { kind: "nothing" }
  /** `restores`: the current plan to set first, because a downgrade is scheduled. */
  | { kind: "upgrade"; restores: PaidPlanSlug | null }
  | { kind: "renewal" }
  /** A larger plan's payment is pending. */
  | { kind: "wait" };

/** `paid`: the plan paid for now; `scheduled`: the one the next renewal charges. */
export const changeActionOf = (
  target: PlanSlug,
  { paid, scheduled }: { paid: PlanSlug; scheduled: PlanSlug },
): ChangeAction => {
  if (target === scheduled) return { kind: "nothing" };
  if (comparePlans(scheduled, paid) > 0) return { kind: "wait" };
  if (comparePlans(target, paid) <= 0) return { kind: "renewal" };
  return { kind: "upgrade", restores: scheduled === paid || paid === "free" ? null : paid };
};

export const paymentStatusOf = (status: string): "successful" | "pending" | "failed" => {
  if (status === "completed") return "successful";
  return status === "paid" || status === "billed" ? "pending" : "failed";
};

export const hasReceipt = ({ status }: { status: string }): boolean => status === "completed" || status === "billed";

export const canCancel = (subscription: {
  status: SubscriptionStatusWire;
  auto_renew?: boolean | undefined;
  plan: { slug: PlanSlug };
}): boolean =>
  subscription.status === "active" && subscription.auto_renew !== false && subscription.plan.slug !== "free";

/** Includes paused ones. */
export const isLive = ({
  status,
  payment_problem,
}: {
  status: SubscriptionStatusWire;
  payment_problem: "past_due" | "paused" | null;
}): boolean => payment_problem !== null || (status !== "no_subscription" && status !== "canceled");

export const paymentLabelOf = (status: string): "Successful" | "Pending" | "Failed" => {
  if (status === "successful") return "Successful";
  return status === "pending" ? "Pending" : "Failed";
};

/** @throws AppError `not_found` when none is configured */
export const priceIdOf = (prices: Readonly<Record<string, readonly string[]>>, key: PriceKey): string => {
  const priceId = prices[key]?.[0];
  if (priceId === undefined) throw new AppError("not_found", { text: BUY_TEXTS.noPrice });
  return priceId;
};

/** `known` replaces the provider's text. */
export const toPaymentError = ({ kind, text, retryAfterSeconds }: PaymentProblem, known?: string): AppError => {
  switch (kind) {
    case "not_found":
      return new AppError("provider_failed", { text: known ?? text });
    case "refused":
      return new AppError("refused", { text: known ?? text });
    case "rate_limited":
    case "unavailable":
      return new AppError("provider_unavailable", {
        text: known ?? text,
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      });
    default:
      return unreachable(kind);
  }
};

export const refusalTextOf = ({ code }: PaymentProblem): string => {
  switch (code) {
    case "subscription_payment_declined":
      return SETTINGS_TEXTS.changeDeclined;
    case "subscription_locked_renewal":
      return SETTINGS_TEXTS.changeAtRenewal;
    case "subscription_locked_pending_changes":
      return SETTINGS_TEXTS.changeCanceling;
    case "subscription_update_when_past_due":
      return SETTINGS_TEXTS.changePastDue;
    default:
      return SETTINGS_TEXTS.changeFailed;
  }
};

/** Null when the plan can be changed. */
export const changeRefusalOf = (state: SubscriptionState | null, now: Date): string | null => {
  const { status, paymentProblem } = subscriptionStatusOf(state, now);
  if (paymentProblem === "paused") return SETTINGS_TEXTS.changePaused;
  if (status === "canceled" || status === "no_subscription") return SETTINGS_TEXTS.nothingToChange;
  if (status === "active (canceling)") return SETTINGS_TEXTS.changeCanceling;
  return paymentProblem === "past_due" ? SETTINGS_TEXTS.changePastDue : null;
};

/** Each sweep sends a new event. */
export const eventJobId = (eventId: string, sweeps: number): string => `payment-event:${eventId}:${sweeps}`;

/** @throws AppError `wrong_state` when it is unpaid or held */
export const confirmationOf = (payment: {
  status: string;
  grantedAt: Date | null;
  heldReason: string | null;
}): "completed" | "pending" => {
  // Checked first because a payment closed by support has both fields.
  if (payment.heldReason) throw new AppError("wrong_state", { text: CONFIRM_TEXTS.held });
  if (payment.grantedAt) return "completed";
  // Completed but not granted: the event with its billing period has not arrived yet.
  if (["paid", "billed", "completed"].includes(payment.status)) return "pending";
  throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notPaid });
};

interface PeriodTimes {
  startsAt: Date;
  endsAt: Date;
}

/** What an upgrade at that time adds for the rest of the period: whole credits, rounded up. */
export const upgradeCredits = (from: number, to: number, { startsAt, endsAt }: PeriodTimes, at: Date): number => {
  const lengthMs = endsAt.getTime() - startsAt.getTime();
  const leftMs = Math.min(lengthMs, Math.max(0, endsAt.getTime() - at.getTime()));
  return to <= from || lengthMs <= 0 ? 0 : Math.ceil(((to - from) * leftMs) / lengthMs);
};

interface PeriodPayment {
  id: string;
  plan: PlanSlug | null;
  origin: string;
  createdAt: Date;
  periodStartsAt: Date | null;
}

/** The provider charges an upgrade from the time it was made on. */
const upgradedAt = ({ createdAt, periodStartsAt }: PeriodPayment): Date =>
  periodStartsAt && periodStartsAt > createdAt ? periodStartsAt : createdAt;

/** The credits that each payment of a period grants: the plan's for the first, a share of the difference for upgrades. */
export const creditsByPayment = (period: PeriodTimes & { payments: readonly PeriodPayment[] }): Map<string, number> => {
  const isUpgrade = ({ origin }: PeriodPayment): boolean => origin === UPGRADE_ORIGIN;
  const inOrder = period.payments.toSorted(
    (a, b) =>
      Number(isUpgrade(a)) - Number(isUpgrade(b)) ||
      a.createdAt.getTime() - b.createdAt.getTime() ||
      a.id.localeCompare(b.id),
  );
  let level = 0;
  const credits = new Map<string, number>();
  for (const payment of inOrder) {
    const planCredits = payment.plan ? PLANS[payment.plan].creditsPerPeriod : 0;
    const at = isUpgrade(payment) ? upgradedAt(payment) : period.startsAt;
    credits.set(payment.id, upgradeCredits(level, planCredits, period, at));
    level = Math.max(level, planCredits);
  }
  return credits;
};
