import { AppError, unreachable } from "#lib/core/errors.ts";
import type { PaymentProblem } from "#lib/integrations/payments/port.ts";
import { BUY_TEXTS, CONFIRM_TEXTS, SETTINGS_TEXTS } from "./constants.ts";
import { type PaidPlanSlug, PLAN_ORDER, type PlanSlug, type PriceKey } from "./plans.ts";
import type { SubscriptionStatusWire } from "./schema.ts";

/** What of a stored subscription decides where it stands. */
export interface SubscriptionState {
  status: "active" | "trialing" | "past_due" | "paused" | "canceled";
  plan: PlanSlug | null;
  periodEndsAt: Date | null;
  scheduledAction: "cancel" | "pause" | "resume" | null;
  scheduledAt: Date | null;
  pausedAt: Date | null;
  canceledAt: Date | null;
}

/** Where a subscription stands, in the product's own words (R-SUB-01, A-99). */
export interface Standing {
  status: SubscriptionStatusWire;
  autoRenew: boolean;
  /** End of the paid period: the next payment, or the end of the plan. */
  endsAt: Date | null;
  paymentProblem: "past_due" | "paused" | null;
}

/** Which of two plans is the larger one: negative when the first is smaller. */
export const comparePlans = (one: PlanSlug, other: PlanSlug): number =>
  PLAN_ORDER.indexOf(one) - PLAN_ORDER.indexOf(other);

/** Whether a subscription is to end at its period's end, and that has not come. */
export const isCanceling = ({ status, scheduledAction, scheduledAt }: SubscriptionState, now: Date): boolean =>
  status !== "canceled" && scheduledAction === "cancel" && (scheduledAt === null || scheduledAt > now);

/** Whether a subscription has ended: the provider says so, or its day has come and the event has not. */
export const hasEnded = (state: SubscriptionState, now: Date): boolean =>
  state.status === "canceled" || (state.scheduledAction === "cancel" && !isCanceling(state, now));

/**
 * Where somebody's subscription stands at a moment (R-SUB-01 to R-SUB-06, A-21, A-95, A-99). An end that was scheduled
 * counts from its day on, without the provider's event.
 */
export const standingOf = (state: SubscriptionState | null, now: Date): Standing => {
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

/**
 * The smaller plan that the next renewal changes to, or the one that a paused subscription goes on with; null when the
 * present one is charged again.
 */
export const nextPlanOf = (state: SubscriptionState | null, plan: PlanSlug, now: Date): PlanSlug | null => {
  const { autoRenew, paymentProblem } = standingOf(state, now);
  if (state?.plan && paymentProblem === "paused") return state.plan;
  if (!state?.plan || !autoRenew) return null;
  return comparePlans(state.plan, plan) < 0 ? state.plan : null;
};

/** What the provider is asked to do for a change of plan. */
export type ChangeCourse =
  | { kind: "nothing" }
  /** The larger plan now; `restores`: a smaller one that waits for the renewal is taken back before. */
  | { kind: "upgrade"; restores: PaidPlanSlug | null }
  /** From the renewal on; also back to the present plan. */
  | { kind: "renewal" }
  /** A larger plan than the paid one stands in the subscription: its payment is under way. */
  | { kind: "wait" };

/**
 * How a change of plan is made. A larger plan than the paid one holds at once; a smaller one, and the way back to the
 * paid one, from the next renewal on.
 * @param paid the plan that is paid for now
 * @param scheduled the plan that the next renewal charges
 */
export const courseOf = (
  target: PlanSlug,
  { paid, scheduled }: { paid: PlanSlug; scheduled: PlanSlug },
): ChangeCourse => {
  if (target === scheduled) return { kind: "nothing" };
  if (comparePlans(scheduled, paid) > 0) return { kind: "wait" };
  if (comparePlans(target, paid) <= 0) return { kind: "renewal" };
  return { kind: "upgrade", restores: scheduled === paid || paid === "free" ? null : paid };
};

/** A payment's word on the wire (R-SET-04): everything but these two shows as failed. */
export const paymentStatusOf = (status: string): "successful" | "pending" | "failed" => {
  if (status === "completed") return "successful";
  return status === "paid" || status === "billed" ? "pending" : "failed";
};

/** Whether the provider has an invoice of a payment. */
export const hasReceipt = ({ status }: { status: string }): boolean => status === "completed" || status === "billed";

/** Whether the settings offer to cancel (R-SET-06). */
export const mayCancel = (subscription: {
  status: SubscriptionStatusWire;
  auto_renew?: boolean | undefined;
  plan: { slug: PlanSlug };
}): boolean =>
  subscription.status === "active" && subscription.auto_renew !== false && subscription.plan.slug !== "free";

/** Whether a subscription still goes on at the provider, also one that rests until somebody pays. */
export const goesOn = ({
  status,
  payment_problem,
}: {
  status: SubscriptionStatusWire;
  payment_problem: "past_due" | "paused" | null;
}): boolean => payment_problem !== null || (status !== "no_subscription" && status !== "canceled");

/** A payment's word for reading (R-SET-04). */
export const paymentWordOf = (status: string): "Successful" | "Pending" | "Failed" => {
  if (status === "successful") return "Successful";
  return status === "pending" ? "Pending" : "Failed";
};

/** The provider's id of the price at which an offer is sold (R-PAY-01). @throws AppError `not_found` where the operator named none (R-BUY-14). */
export const priceIdOf = (prices: Readonly<Record<string, readonly string[]>>, key: PriceKey): string => {
  const priceId = prices[key]?.[0];
  if (priceId === undefined) throw new AppError("not_found", { text: BUY_TEXTS.noPrice });
  return priceId;
};

/** A problem with a call to the payment provider as our error; `text` instead of the provider's, where we know better. */
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

/** What we say to a refusal of a change, by the provider's code. */
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

/** Why a subscription's plan cannot be changed as it stands; null when it can. */
export const changeRefusalOf = (state: SubscriptionState | null, now: Date): string | null => {
  const { status, paymentProblem } = standingOf(state, now);
  if (paymentProblem === "paused") return SETTINGS_TEXTS.changePaused;
  if (status === "canceled" || status === "no_subscription") return SETTINGS_TEXTS.nothingToChange;
  if (status === "active (canceling)") return SETTINGS_TEXTS.changeCanceling;
  return paymentProblem === "past_due" ? SETTINGS_TEXTS.changePastDue : null;
};

/** Id of the durable event that has a stored event applied; each sweep sends one of its own. */
export const eventJobId = (eventId: string, sweeps: number): string => `payment-event:${eventId}:${sweeps}`;

/**
 * Whether a payment is through. @throws AppError `wrong_state` for one that is not paid, or that is held
 */
export const confirmationOf = (payment: {
  status: string;
  grantedAt: Date | null;
  heldReason: string | null;
}): "completed" | "pending" => {
  // Also one that support closed: it has both.
  if (payment.heldReason) throw new AppError("wrong_state", { text: CONFIRM_TEXTS.held });
  if (payment.grantedAt) return "completed";
  // Completed and not given yet: what tells for which time it is, is still on its way.
  if (["paid", "billed", "completed"].includes(payment.status)) return "pending";
  throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notPaid });
};
