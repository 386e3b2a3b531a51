import "server-only";
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, not, sql } from "drizzle-orm";
import { paymentAdjustments, paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { BASE_ORIGINS, PACKS_MAX, PLAN_PENDING_MS, UPGRADE_ORIGIN } from "./constants.ts";
import { OFFERS, type Offer, PLAN_ORDER, type PlanSlug } from "./plans.ts";
import { hasEnded } from "./policy.ts";

export type Subscription = typeof subscriptions.$inferSelect;
export type Payment = typeof payments.$inferSelect;
export type Purchase = typeof purchases.$inferSelect;
export type Adjustment = typeof paymentAdjustments.$inferSelect;

/** Payments are completed ones, oldest first. */
export interface Facts {
  subscriptions: Subscription[];
  payments: Payment[];
  purchases: Purchase[];
  adjustments: Adjustment[];
}

/** Closed by support after a refund: it never grants anything again. */
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
    ? await ctx.db.select().from(purchases).where(isAnyOf(purchases.id, purchaseIds))
    : [];
  const adjusted = ids.length
    ? await ctx.db
        .select()
        .from(paymentAdjustments)
        .where(isAnyOf(paymentAdjustments.transactionId, ids))
        .orderBy(asc(paymentAdjustments.createdAt), asc(paymentAdjustments.id))
    : [];
  return { subscriptions: owned, payments: paid, purchases: recorded, adjustments: adjusted };
};

export interface SubscriptionView {
  subscription: Subscription | null;
  plan: PlanSlug;
  now: Date;
}

const rankOf = (row: Subscription, now: Date): number => {
  if (row.heldReason !== null) return hasEnded(row, now) ? 0 : 1;
  if (hasEnded(row, now)) return 2;
  return row.status === "paused" ? 3 : 4;
};

/** Even if it has ended; null when there never was one. */
export const findSubscription = async (ctx: Ctx, userId: UserId): Promise<Subscription | null> => {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(desc(subscriptions.startedAt), desc(subscriptions.id));
  const now = await databaseTime(ctx);
  const [best] = rows.toSorted((a, b) => rankOf(b, now) - rankOf(a, now));
  return best ?? null;
};

/** Not ended and not held; it may be paused. */
export const findLiveSubscription = async (ctx: Ctx, userId: UserId): Promise<Subscription | null> => {
  const best = await findSubscription(ctx, userId);
  return best && best.heldReason === null && !hasEnded(best, await databaseTime(ctx)) ? best : null;
};

export const findSubscriptionView = async (ctx: Ctx, userId: UserId): Promise<SubscriptionView> => {
  const [subscription, plan] = [await findSubscription(ctx, userId), await findPlan(ctx, userId)];
  const now = await databaseTime(ctx);
  return { subscription: subscription?.heldReason === null ? subscription : null, plan, now };
};

/** A customer is an email address, and a payer can enter someone else's. */
export const isSoleCustomer = async (
  ctx: Ctx,
  { userId, customerId }: { userId: UserId; customerId: string },
): Promise<boolean> => {
  const { db } = ctx;
  const isTheirs = eq(paymentCustomers.customerId, customerId);
  const [known] = await db.select({ ownerId: paymentCustomers.userId }).from(paymentCustomers).where(isTheirs);
  if (known?.ownerId !== userId) return false;
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

export interface PaidPeriod {
  subscriptionId: string;
  startsAt: Date;
  endsAt: Date;
  plan: PlanSlug;
  payments: Payment[];
}

const larger = (a: PlanSlug, b: PlanSlug): PlanSlug => (PLAN_ORDER.indexOf(a) >= PLAN_ORDER.indexOf(b) ? a : b);

const toPeriod = (payment: Payment): PaidPeriod | null => {
  const { kind, status, plan, subscriptionId, periodStartsAt, periodEndsAt } = payment;
  if (kind !== "plan" || status !== "completed" || !plan) return null;
  if (!subscriptionId || !periodStartsAt || !periodEndsAt) return null;
  return { subscriptionId, startsAt: periodStartsAt, endsAt: periodEndsAt, plan, payments: [payment] };
};

const mergePeriod = (period: PaidPeriod, more: PaidPeriod): void => {
  period.plan = larger(period.plan, more.plan);
  period.payments.push(...more.payments);
};

const isBase = ({ origin }: Payment): boolean => BASE_ORIGINS.includes(origin);

const periodsOf = (payments: readonly Payment[]): PaidPeriod[] =>
  payments.flatMap((payment) => toPeriod(payment) ?? []);

/** Newest first. First payments and renewals start a period, upgrades raise theirs; a free trial counts as nothing. */
export const derivePeriods = ({ payments, subscriptions }: Pick<Facts, "payments" | "subscriptions">): PaidPeriod[] => {
  const periods: PaidPeriod[] = [];
  const isTrial = ({ subscriptionId, totalMinor }: Payment): boolean =>
    totalMinor === 0 && (subscriptions.find(({ id }) => id === subscriptionId)?.status ?? "trialing") === "trialing";
  for (const base of periodsOf(payments.filter((payment) => isBase(payment) && !isTrial(payment)))) {
    const same = periods.find(
      ({ subscriptionId, startsAt }) =>
        subscriptionId === base.subscriptionId && startsAt.getTime() === base.startsAt.getTime(),
    );
    if (same) mergePeriod(same, base);
    else periods.push(base);
  }
  const newestFirst = periods.toSorted(
    (a, b) => b.startsAt.getTime() - a.startsAt.getTime() || a.subscriptionId.localeCompare(b.subscriptionId),
  );
  for (const raise of periodsOf(payments.filter(({ origin }) => origin === UPGRADE_ORIGIN))) {
    const around = newestFirst.find(
      ({ subscriptionId, startsAt, endsAt }) =>
        subscriptionId === raise.subscriptionId && startsAt <= raise.startsAt && raise.startsAt < endsAt,
    );
    if (around) mergePeriod(around, raise);
  }
  return newestFirst;
};

/** From our own records only, so it works while the provider is down. @throws AppError `unauthenticated` */
export const readSubscription = (ctx: Ctx): Promise<SubscriptionView> => findSubscriptionView(ctx, requireUserId(ctx));

/** `other`: not something we sell. */
interface SoldItems {
  kind: "plan" | "pack" | "other";
  plan: PlanSlug | null;
  credits: number;
}

const NOTHING_SOLD: SoldItems = { kind: "other", plan: null, credits: 0 };

const largest = (plans: readonly PlanSlug[]): PlanSlug | null =>
  PLAN_ORDER.findLast((plan) => plans.includes(plan)) ?? null;

/** From price ids alone (including retired ones), never from amounts. */
export const readItems = (
  prices: Readonly<Record<string, readonly string[]>>,
  items: readonly { priceId: string; quantity: number }[],
): SoldItems => {
  const names = new Map(Object.entries(prices).flatMap(([name, ids]) => ids.map((id) => [id, name])));
  const offerOf = (priceId: string): Offer | undefined =>
    [...OFFERS].find(([name]) => name === names.get(priceId))?.[1];
  const sold = items.map(({ priceId, quantity }) => ({ offer: offerOf(priceId), quantity }));
  const plans = sold.flatMap(({ offer }) => (offer?.kind === "plan" ? [offer.plan] : []));
  const packs = sold.flatMap(({ offer, quantity }) => (offer?.kind === "pack" ? [{ ...offer, quantity }] : []));
  if (sold.length > 0 && plans.length === sold.length) {
    return sold.every(({ quantity }) => quantity === 1)
      ? { kind: "plan", plan: largest(plans), credits: 0 }
      : NOTHING_SOLD;
  }
  const isWhole = packs.every(({ quantity }) => Number.isInteger(quantity) && quantity >= 1);
  const number = packs.reduce((sum, { quantity }) => sum + quantity, 0);
  if (packs.length === 0 || packs.length < sold.length || !isWhole || number > PACKS_MAX) return NOTHING_SOLD;
  return {
    kind: "pack",
    plan: largest(packs.map(({ plan }) => plan)),
    credits: packs.reduce((sum, { credits, quantity }) => sum + credits * quantity, 0),
  };
};

const refreshItem = async (tx: Ctx, payment: Payment): Promise<Payment> => {
  if (payment.kind !== "other" || payment.grantedAt || !payment.items) return payment;
  const sold = readItems(tx.settings.prices, payment.items);
  if (sold.kind === "other") return payment;
  await tx.db.update(payments).set(sold).where(eq(payments.id, payment.id));
  return { ...payment, ...sold };
};

/** The price of an unrecognized payment may have been added to our table since. */
export const refreshItems = async (tx: Ctx, given: readonly Payment[]): Promise<Payment[]> => {
  const read: Payment[] = [];
  for (const payment of given) read.push(await refreshItem(tx, payment));
  return read;
};
