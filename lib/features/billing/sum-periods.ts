import "server-only";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { BASE_ORIGINS, PLAN_ORDER, RAISE_ORIGIN } from "./constants.ts";
import type { Facts, Payment } from "./queries.ts";

/** A period of a subscription that was paid for, with all that was paid within it. */
export interface PaidPeriod {
  subscriptionId: string;
  startsAt: Date;
  endsAt: Date;
  /** The largest plan that was paid for in it. */
  plan: PlanSlug;
  payments: Payment[];
}

const larger = (one: PlanSlug, other: PlanSlug): PlanSlug =>
  PLAN_ORDER.indexOf(one) >= PLAN_ORDER.indexOf(other) ? one : other;

/** A payment as a period of its own; null for one that does not say for which time, or for which subscription, it is. */
const toPeriod = (payment: Payment): PaidPeriod | null => {
  const { kind, status, plan, subscriptionId, periodStartsAt, periodEndsAt } = payment;
  if (kind !== "plan" || status !== "completed" || !plan) return null;
  if (!subscriptionId || !periodStartsAt || !periodEndsAt) return null;
  return { subscriptionId, startsAt: periodStartsAt, endsAt: periodEndsAt, plan, payments: [payment] };
};

const join = (period: PaidPeriod, more: PaidPeriod): void => {
  period.plan = larger(period.plan, more.plan);
  period.payments.push(...more.payments);
};

const isBase = ({ origin }: Payment): boolean => BASE_ORIGINS.includes(origin);

const periodsOf = (payments: readonly Payment[]): PaidPeriod[] =>
  payments.flatMap((payment) => toPeriod(payment) ?? []);

/**
 * The paid periods that follow from somebody's payments, the newest first. A first payment and each renewal begin one;
 * what is paid for a change of plan raises the one it lies in, and waits while that one is not known. A trial that
 * costs nothing gives nothing, nor what costs nothing and may be one.
 */
export const sumPeriods = ({ payments, subscriptions }: Pick<Facts, "payments" | "subscriptions">): PaidPeriod[] => {
  const periods: PaidPeriod[] = [];
  const isTrial = ({ subscriptionId, totalMinor }: Payment): boolean =>
    totalMinor === 0 && (subscriptions.find(({ id }) => id === subscriptionId)?.status ?? "trialing") === "trialing";
  for (const base of periodsOf(payments.filter((payment) => isBase(payment) && !isTrial(payment)))) {
    const same = periods.find(
      ({ subscriptionId, startsAt }) =>
        subscriptionId === base.subscriptionId && startsAt.getTime() === base.startsAt.getTime(),
    );
    if (same) join(same, base);
    else periods.push(base);
  }
  const newestFirst = periods.toSorted(
    (one, other) =>
      other.startsAt.getTime() - one.startsAt.getTime() || one.subscriptionId.localeCompare(other.subscriptionId),
  );
  for (const raise of periodsOf(payments.filter(({ origin }) => origin === RAISE_ORIGIN))) {
    const around = newestFirst.find(
      ({ subscriptionId, startsAt, endsAt }) =>
        subscriptionId === raise.subscriptionId && startsAt <= raise.startsAt && raise.startsAt < endsAt,
    );
    if (around) join(around, raise);
  }
  return newestFirst;
};
