import { formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import {
  PAID_PLANS,
  type PaidPlanSlug,
  PLAN_CARDS,
  PLAN_ORDER,
  PLANS,
  type PlanSlug,
} from "#lib/features/billing/plans.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

export const SUBSCRIPTION_PATH = "/api/users/subscription/";

/** What the button on a plan's card does for a signed-in user. */
export type PlanAction =
  /** The current plan. */
  | { kind: "current"; label: string }
  /** The plan due at the next renewal. */
  | { kind: "next"; label: string }
  | { kind: "buy"; label: string; plan: PaidPlanSlug }
  | { kind: "change"; label: string; plan: PaidPlanSlug }
  /** Leads to Settings, to cancel or to fix a problem before the plan can change. */
  | { kind: "end"; label: string };

export const isPaid = (plan: PlanSlug): plan is PaidPlanSlug => PAID_PLANS.some((item) => item === plan);

/** Whether there is a live paid plan to change instead of buying a second one. */
const hasPaidPlan = ({ plan, status }: Pick<SubscriptionWire, "plan" | "status">): boolean =>
  plan.slug !== "free" && (status === "active" || status === "trial" || status === "active (canceling)");

/** Whether Settings has to come first: the server does not change a plan that is ending, paused or past due. */
const needsSettings = ({ status, payment_problem }: SubscriptionWire): boolean =>
  status === "active (canceling)" || payment_problem !== null;

/** The button's text before the user's plan is known. */
export const plainLabelOf = (plan: PlanSlug): string =>
  PLAN_CARDS.find(({ id }) => id === plan)?.buttonText ?? PLANS[plan].name;

/** The action of a plan's card for a subscription. */
export const planActionOf = (card: PlanSlug, subscription: SubscriptionWire, timeZone: string): PlanAction => {
  const { plan, next_plan, end_date, auto_renew } = subscription;
  if (plan.slug === card) {
    const canStay = next_plan !== null && isPaid(card) && hasPaidPlan(subscription) && !needsSettings(subscription);
    return canStay
      ? { kind: "change", label: `Stay on ${plan.name}`, plan: card }
      : { kind: "current", label: "Current plan" };
  }
  // A subscription with a problem is handled in Settings; no second plan is sold.
  if (needsSettings(subscription) && isPaid(card)) return { kind: "end", label: "See Settings" };
  if (card === next_plan) {
    return { kind: "next", label: end_date ? `Starts ${formatDate(end_date, timeZone)}` : "Starts at next renewal" };
  }
  if (!isPaid(card)) return { kind: "end", label: auto_renew ? "Cancel in Settings" : "See Settings" };
  if (!hasPaidPlan(subscription)) return { kind: "buy", label: plainLabelOf(card), plan: card };
  const isLarger = PLAN_ORDER.indexOf(card) > PLAN_ORDER.indexOf(plan.slug);
  return { kind: "change", label: `${isLarger ? "Upgrade" : "Switch"} to ${PLANS[card].name}`, plan: card };
};

/** A sentence about the current plan, and whether it needs attention. */
export const planSummary = (
  { plan, status, end_date, next_plan, payment_problem }: SubscriptionWire,
  timeZone: string,
): { text: string; isProblem: boolean } => {
  const on = end_date === null ? null : formatDate(end_date, timeZone);
  const summary = (text: string, isProblem = false) => ({ text, isProblem });
  if (payment_problem === "past_due")
    return summary("Your last payment failed. You'll keep your plan while we retry the payment.", true);
  if (payment_problem === "paused") return summary("Your paid plan is paused because a payment failed.", true);
  if (plan.slug === "free") return summary(`${formatCount(plan.features.credits)} credits a month, at no cost.`);
  if (status === "active (canceling)") return summary(`It ends on ${on}. After that, you'll be on the Free plan.`);
  if (next_plan !== null) return summary(`It switches to ${PLANS[next_plan].name} on ${on}.`);
  return summary(on === null ? "It renews monthly." : `It renews on ${on}.`);
};

type Listener = (subscription: SubscriptionWire) => void;

const listeners = new Set<Listener>();

/** Subscribes to plan changes reported by another part of the page; returns the unsubscribe function. */
export const onPlanChange = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const emitPlanChange: Listener = (subscription) => {
  for (const listener of [...listeners]) listener(subscription);
};
