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

/** The documented call that tells the plan. */
export const SUBSCRIPTION_PATH = "/api/users/subscription/";

/** What the button of a plan's card does for somebody who is signed in. */
export type PlanAction =
  /** They have it. */
  | { kind: "current"; label: string }
  /** They will have it from the next renewal on. */
  | { kind: "next"; label: string }
  | { kind: "buy"; label: string; plan: PaidPlanSlug }
  | { kind: "change"; label: string; plan: PaidPlanSlug }
  /** Settings does it: going back to the free plan, which is cancelling (R-SUB-04), and what comes before a change. */
  | { kind: "end"; label: string };

export const isPaid = (plan: PlanSlug): plan is PaidPlanSlug => PAID_PLANS.some((one) => one === plan);

/** Whether a paid plan lives that can be changed instead of buying a second one. */
const hasPaidPlan = ({ plan, status }: Pick<SubscriptionWire, "plan" | "status">): boolean =>
  plan.slug !== "free" && (status === "active" || status === "trial" || status === "active (canceling)");

/** Whether something has to be put right in Settings first: the server changes no plan that ends, rests or is unpaid. */
const isSettingsFirst = ({ status, payment_problem }: SubscriptionWire): boolean =>
  status === "active (canceling)" || payment_problem !== null;

/** The text of a card's button before anything is known about who looks (R-PRICE-03). */
export const plainLabelOf = (plan: PlanSlug): string =>
  PLAN_CARDS.find(({ id }) => id === plan)?.buttonText ?? PLANS[plan].name;

/** The action of a card for a subscription. */
export const planActionOf = (card: PlanSlug, subscription: SubscriptionWire, timeZone: string): PlanAction => {
  const { plan, next_plan, end_date, auto_renew } = subscription;
  if (plan.slug === card) {
    const returns = next_plan !== null && isPaid(card) && hasPaidPlan(subscription) && !isSettingsFirst(subscription);
    return returns
      ? { kind: "change", label: `Stay on ${plan.name}`, plan: card }
      : { kind: "current", label: "Current plan" };
  }
  // It goes on from Settings, and no second plan is sold beside it.
  if (isSettingsFirst(subscription) && isPaid(card)) return { kind: "end", label: "See Settings" };
  if (card === next_plan) {
    return { kind: "next", label: end_date ? `From ${formatDate(end_date, timeZone)}` : "From the next renewal" };
  }
  if (!isPaid(card)) return { kind: "end", label: auto_renew ? "Cancel in Settings" : "See Settings" };
  if (!hasPaidPlan(subscription)) return { kind: "buy", label: plainLabelOf(card), plan: card };
  const isLarger = PLAN_ORDER.indexOf(card) > PLAN_ORDER.indexOf(plan.slug);
  return { kind: "change", label: `${isLarger ? "Upgrade" : "Switch"} to ${PLANS[card].name}`, plan: card };
};

/** The sentence about the present plan (R-PRICE-01), and whether it needs looking after. */
export const planSentence = (
  { plan, status, end_date, next_plan, payment_problem }: SubscriptionWire,
  timeZone: string,
): { text: string; isProblem: boolean } => {
  const on = end_date === null ? null : formatDate(end_date, timeZone);
  const say = (text: string, isProblem = false) => ({ text, isProblem });
  if (payment_problem === "past_due")
    return say("The last payment failed. The plan stays while it is tried again.", true);
  if (payment_problem === "paused") return say("Your paid plan is paused because a payment failed.", true);
  if (plan.slug === "free") return say(`${formatCount(plan.features.credits)} credits a month, at no cost.`);
  if (status === "active (canceling)") return say(`It ends on ${on}. After that it is the Free plan.`);
  if (next_plan !== null) return say(`It changes to ${PLANS[next_plan].name} on ${on}.`);
  return say(on === null ? "It renews monthly." : `It renews on ${on}.`);
};

type Listener = (subscription: SubscriptionWire) => void;

const listeners = new Set<Listener>();

/** Hears what another part of the page learned about the plan; returns how to stop. */
export const onPlanNews = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const tellPlanNews: Listener = (subscription) => {
  for (const listener of [...listeners]) listener(subscription);
};
