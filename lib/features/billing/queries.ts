import "server-only";
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, not, sql } from "drizzle-orm";
import { paymentAdjustments, paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { BASE_ORIGINS, PACKS_MAX, PLAN_PENDING_MS, RAISE_ORIGIN } from "./constants.ts";
import { OFFERS, type Offer, PLAN_ORDER, type PlanSlug } from "./plans.ts";
import { hasEnded } from "./policy.ts";

export type Subscription = typeof subscriptions.$inferSelect;
export type Payment = typeof payments.$inferSelect;
export type Purchase = typeof purchases.$inferSelect;
export type Adjustment = typeof paymentAdjustments.$inferSelect;

/** All that was told of a user's money, as far as it decides anything: payments that are complete, oldest first. */
export interface Facts {
  subscriptions: Subscription[];
  payments: Payment[];
  purchases: Purchase[];
  adjustments: Adjustment[];
}

/** Support refunded it: whatever comes later, it gives nothing any more. */
const isClosed = sql`(${payments.grantedAt} is not null and ${payments.heldReason} is not null)`;

export const findFacts = async (ctx: Ctx, userId: UserId): Promise<Facts> => {
  const owned = await ctx.db.select().from(subscriptions).where(eq(subscriptions.userId, userId));
  const paid = await ctx.db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), eq(payments.status, "completed"), not(isClosed)))
    .orderBy(asc(payments.createdAt), asc(payments.id));
  const ids = paid.map(({ id }) => id);
  const purchaseIds = paid.flatMap(({ purchaseId }) => (purchaseId ? [purchaseId] : []));
  const recorded = purchaseIds.length
    ? await ctx.db.select().from(purchases).where(inArray(purchases.id, purchaseIds))
    : [];
  const adjusted = ids.length
    ? await ctx.db
        .select()
        .from(paymentAdjustments)
        .where(inArray(paymentAdjustments.transactionId, ids))
        .orderBy(asc(paymentAdjustments.createdAt), asc(paymentAdjustments.id))
    : [];
  return { subscriptions: owned, payments: paid, purchases: recorded, adjustments: adjusted };
};

/** Somebody's subscription as it stands at a moment, and the plan that they have then. */
export interface SubscriptionView {
  subscription: Subscription | null;
  plan: PlanSlug;
  now: Date;
}

/** Which of several counts: one that gives a plan before one that rests, that before one that has ended. */
const weightOf = (row: Subscription, now: Date): number => {
  if (row.heldReason !== null) return hasEnded(row, now) ? 0 : 1;
  if (hasEnded(row, now)) return 2;
  return row.status === "paused" ? 3 : 4;
};

/** The subscription of a user that counts, also when it has ended; null for one who never had any. */
export const findSubscription = async (ctx: Ctx, userId: UserId): Promise<Subscription | null> => {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(desc(subscriptions.startedAt), desc(subscriptions.id));
  const now = await databaseTime(ctx);
  const [counting] = rows.toSorted((one, other) => weightOf(other, now) - weightOf(one, now));
  return counting ?? null;
};

/** The same, but only one that goes on, or would once somebody paid; none that is held. */
export const findLiveSubscription = async (ctx: Ctx, userId: UserId): Promise<Subscription | null> => {
  const counting = await findSubscription(ctx, userId);
  return counting && counting.heldReason === null && !hasEnded(counting, await databaseTime(ctx)) ? counting : null;
};

/** What `GET /api/users/subscription/` tells (R-API-15, A-23). */
export const findSubscriptionView = async (ctx: Ctx, userId: UserId): Promise<SubscriptionView> => {
  const [subscription, plan] = [await findSubscription(ctx, userId), await findPlan(ctx, userId)];
  const now = await databaseTime(ctx);
  return { subscription: subscription?.heldReason === null ? subscription : null, plan, now };
};

/**
 * Whether a customer of the provider is one user's alone. A customer is a mail address, and whoever pays may type
 * somebody else's.
 */
export const isSoleCustomer = async (
  ctx: Ctx,
  { userId, customerId }: { userId: UserId; customerId: string },
): Promise<boolean> => {
  const { db } = ctx;
  const isTheirs = eq(paymentCustomers.customerId, customerId);
  const [known] = await db.select({ whose: paymentCustomers.userId }).from(paymentCustomers).where(isTheirs);
  if (known?.whose !== userId) return false;
  const [paid, had] = [
    db
      .select({ id: payments.id })
      .from(payments)
      .where(and(eq(payments.customerId, customerId), ne(payments.userId, userId))),
    db
      .select({ id: subscriptions.id })
      .from(subscriptions)
      .where(and(eq(subscriptions.customerId, customerId), ne(subscriptions.userId, userId))),
  ];
  const [ofOthers] = await paid.union(had).limit(1);
  return ofOthers === undefined;
};

/** Payments that were made and gave nothing, of everybody or of one user, oldest first. */
export const findHeldPayments = (ctx: Ctx, userId: UserId | null): Promise<Payment[]> =>
  ctx.db
    .select()
    .from(payments)
    .where(
      and(
        isNotNull(payments.heldReason),
        isNull(payments.grantedAt),
        userId === null ? undefined : eq(payments.userId, userId),
      ),
    )
    .orderBy(asc(payments.createdAt));

/** Whether a payment of a user's for a plan is under way: not through yet, or through and not given. */
export const hasPendingPlan = async (ctx: Ctx, userId: UserId): Promise<boolean> => {
  const { kind, status, grantedAt, heldReason, asOf, totalMinor } = payments;
  const [row] = await ctx.db
    .select({ id: payments.id })
    .from(payments)
    .where(
      and(
        eq(payments.userId, userId),
        eq(kind, "plan"),
        inArray(status, ["paid", "billed", "completed"]),
        gt(totalMinor, 0),
        isNull(grantedAt),
        isNull(heldReason),
        gt(asOf, addMs(ctx.now(), -PLAN_PENDING_MS)),
      ),
    )
    .limit(1);
  return row !== undefined;
};

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

/**
 * The signed-in user's plan (R-PRICE-10, A-23): always one, from our own records alone, so that it is there when the
 * provider is not. @throws AppError `unauthenticated`
 */
export const readSubscription = (ctx: Ctx): Promise<SubscriptionView> => findSubscriptionView(ctx, requireUserId(ctx));

/** What a transaction is for, by our own table. `other`: nothing we sell, or not in a way we sell it. */
interface Sold {
  kind: "plan" | "pack" | "other";
  /** The plan that is paid for, or the plan at whose price the packs are. */
  plan: PlanSlug | null;
  /** Credits of all packs together; 0 for a plan. */
  credits: number;
}

const NOTHING: Sold = { kind: "other", plan: null, credits: 0 };

const largest = (plans: readonly PlanSlug[]): PlanSlug | null =>
  PLAN_ORDER.findLast((plan) => plans.includes(plan)) ?? null;

/**
 * What is sold by some items: decided by their price ids alone, never by amounts (R-PAY-01, R-PAY-03). Packs may come in
 * numbers from 1 to 10, plans once; a mixture, an unknown price or another number is `other`.
 * @param prices price ids by the names of our offers, also those at which they are sold no more
 */
export const readItems = (
  prices: Readonly<Record<string, readonly string[]>>,
  items: readonly { priceId: string; quantity: number }[],
): Sold => {
  const names = new Map(Object.entries(prices).flatMap(([name, ids]) => ids.map((id) => [id, name])));
  const offerOf = (priceId: string): Offer | undefined =>
    [...OFFERS].find(([name]) => name === names.get(priceId))?.[1];
  const sold = items.map(({ priceId, quantity }) => ({ offer: offerOf(priceId), quantity }));
  const plans = sold.flatMap(({ offer }) => (offer?.kind === "plan" ? [offer.plan] : []));
  const packs = sold.flatMap(({ offer, quantity }) => (offer?.kind === "pack" ? [{ ...offer, quantity }] : []));
  if (sold.length > 0 && plans.length === sold.length) {
    return sold.every(({ quantity }) => quantity === 1) ? { kind: "plan", plan: largest(plans), credits: 0 } : NOTHING;
  }
  const isWhole = packs.every(({ quantity }) => Number.isInteger(quantity) && quantity >= 1);
  const number = packs.reduce((sum, { quantity }) => sum + quantity, 0);
  if (packs.length === 0 || packs.length < sold.length || !isWhole || number > PACKS_MAX) return NOTHING;
  return {
    kind: "pack",
    plan: largest(packs.map(({ plan }) => plan)),
    credits: packs.reduce((sum, { credits, quantity }) => sum + credits * quantity, 0),
  };
};

const reread = async (tx: Ctx, payment: Payment): Promise<Payment> => {
  if (payment.kind !== "other" || payment.grantedAt || !payment.items) return payment;
  const sold = readItems(tx.settings.prices, payment.items);
  if (sold.kind === "other") return payment;
  await tx.db.update(payments).set(sold).where(eq(payments.id, payment.id));
  return { ...payment, ...sold };
};

/**
 * Looks again at payments that were for nothing we sell: their price may have joined our table since (decision 0017).
 * @returns all payments, as they are read now
 */
export const rereadItems = async (tx: Ctx, given: readonly Payment[]): Promise<Payment[]> => {
  const read: Payment[] = [];
  for (const payment of given) read.push(await reread(tx, payment));
  return read;
};
