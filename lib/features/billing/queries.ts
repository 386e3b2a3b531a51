import "server-only";
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, not, sql } from "drizzle-orm";
import { paymentAdjustments, paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { PLAN_PENDING_MS } from "./constants.ts";
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
