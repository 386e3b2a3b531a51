import "server-only";
import { and, asc, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { paymentAdjustments, paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import type {
  CustomData,
  PaymentAdjustment,
  PaymentSubscription,
  PaymentTransaction,
} from "#lib/integrations/payments/port.ts";
import { type Payment, readItems, type Subscription } from "./queries.ts";

interface OwnerHints {
  customData: CustomData;
  subscriptionId: string | null;
  customerId: string | null;
}

/** `isExplicit`: named by the checkout's own data, not inferred from earlier records. */
interface Owner {
  userId: UserId | null;
  purchaseId: string | null;
  isExplicit: boolean;
}

/** The recorded purchase decides, then the user id; both only if they exist. */
const findFromCheckout = async (tx: Ctx, { purchaseRef, userId }: CustomData): Promise<Owner | null> => {
  if (isId("purchase", purchaseRef)) {
    const [row] = await tx.db.select({ userId: purchases.userId }).from(purchases).where(eq(purchases.id, purchaseRef));
    if (row) return { userId: row.userId, purchaseId: purchaseRef, isExplicit: true };
  }
  if (!isId("user", userId)) return null;
  const [row] = await tx.db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return row ? { userId, purchaseId: null, isExplicit: true } : null;
};

const findBySubscription = async (tx: Ctx, subscriptionId: string): Promise<UserId | null> => {
  const [row] = await tx.db
    .select({ userId: subscriptions.userId })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId));
  if (row?.userId) return row.userId;
  const [paid] = await tx.db
    .select({ userId: payments.userId })
    .from(payments)
    .where(and(eq(payments.subscriptionId, subscriptionId), isNotNull(payments.userId)))
    .orderBy(asc(payments.createdAt), asc(payments.id))
    .limit(1);
  return paid?.userId ?? null;
};

const findByCustomer = async (tx: Ctx, customerId: string): Promise<UserId | null> => {
  const [row] = await tx.db
    .select({ userId: paymentCustomers.userId })
    .from(paymentCustomers)
    .where(eq(paymentCustomers.customerId, customerId));
  return row?.userId ?? null;
};

/** By checkout data, else by subscription, else by customer. Null while unknown. */
export const findOwner = async (tx: Ctx, hints: OwnerHints): Promise<Owner> => {
  const incoming = await findFromCheckout(tx, hints.customData);
  if (incoming) return incoming;
  const bySubscription = hints.subscriptionId ? await findBySubscription(tx, hints.subscriptionId) : null;
  const userId = bySubscription ?? (hints.customerId ? await findByCustomer(tx, hints.customerId) : null);
  return { userId, purchaseId: null, isExplicit: false };
};

/** Fixed order, before any row is written: settling writes other rows of theirs and could deadlock (decision 0017). */
const lockOwners = async (tx: Ctx, userIds: readonly (UserId | null | undefined)[]): Promise<void> => {
  const known = [...new Set(userIds.filter((userId) => userId != null))].sort();
  for (const userId of known) await lockUser(tx, userId);
};

/** Serializes writers of one transaction or customer, so that concurrent facts see each other. The order is fixed. */
const lockSubjects = async (
  tx: Ctx,
  { transactionId, customerId }: { transactionId?: string; customerId?: string | null },
): Promise<void> => {
  const keys = [
    ...(transactionId ? [`payment:${transactionId}`] : []),
    ...(customerId ? [`customer:${customerId}`] : []),
  ];
  for (const key of keys) await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
};

interface StoredObject {
  userId: UserId | null;
  subscriptionId: string | null;
  customerId: string | null;
}

const assignBySubscription = async (tx: Ctx, subscriptionId: string, userId: UserId): Promise<number> => {
  const paid = await tx.db
    .update(payments)
    .set({ userId })
    .where(and(isNull(payments.userId), eq(payments.subscriptionId, subscriptionId)))
    .returning({ id: payments.id });
  const owned = await tx.db
    .update(subscriptions)
    .set({ userId })
    .where(and(isNull(subscriptions.userId), eq(subscriptions.id, subscriptionId)))
    .returning({ id: subscriptions.id });
  return paid.length + owned.length;
};

const assignByCustomer = async (tx: Ctx, customerId: string, userId: UserId): Promise<number> => {
  const owned = await tx.db
    .update(subscriptions)
    .set({ userId })
    .where(and(isNull(subscriptions.userId), eq(subscriptions.customerId, customerId)))
    .returning({ id: subscriptions.id });
  const paid = await tx.db
    .update(payments)
    .set({ userId })
    .where(and(isNull(payments.userId), eq(payments.customerId, customerId)))
    .returning({ id: payments.id });
  return paid.length + owned.length;
};

/** @returns users who gained rows */
const assignUnowned = async (tx: Ctx, known: StoredObject): Promise<UserId[]> => {
  const { userId, subscriptionId, customerId } = known;
  const assigned: UserId[] = [];
  if (userId && subscriptionId && (await assignBySubscription(tx, subscriptionId, userId)) > 0) assigned.push(userId);
  if (!customerId) return assigned;
  const [customer] = await tx.db
    .select({ userId: paymentCustomers.userId })
    .from(paymentCustomers)
    .where(eq(paymentCustomers.customerId, customerId));
  if (!customer) return assigned;
  if ((await assignByCustomer(tx, customerId, customer.userId)) > 0) assigned.push(customer.userId);
  return assigned;
};

interface Snapshot {
  asOf: Date;
  status: string;
}

/** Orders statuses within one millisecond. */
const STATUS_RANK: Readonly<Record<string, number>> = {
  draft: 0,
  ready: 1,
  billed: 2,
  past_due: 3,
  paid: 4,
  completed: 5,
  trialing: 1,
  active: 2,
  paused: 4,
  canceled: 6,
  pending_approval: 0,
  rejected: 1,
  approved: 2,
  reversed: 3,
};

/** Positive when `a` is newer. Ties break by status, then JSON, so arrival order doesn't matter. */
const compareSnapshots = (a: Snapshot, b: Snapshot): number => {
  const byTime = a.asOf.getTime() - b.asOf.getTime();
  if (byTime !== 0) return byTime;
  const byRank = (STATUS_RANK[a.status] ?? 0) - (STATUS_RANK[b.status] ?? 0);
  if (byRank !== 0) return byRank;
  const [text, otherText] = [JSON.stringify(a), JSON.stringify(b)];
  return text === otherText ? 0 : text > otherText ? 1 : -1;
};

const toSubscriptionSnapshot = (tx: Ctx, subscription: PaymentSubscription) => {
  const { priceId, currentPeriod, scheduledChange } = subscription;
  const sold = priceId ? readItems(tx.settings.prices, [{ priceId, quantity: 1 }]) : null;
  return {
    customerId: subscription.customerId,
    priceId,
    plan: sold?.kind === "plan" ? sold.plan : null,
    status: subscription.status,
    periodStartsAt: currentPeriod?.startsAt ?? null,
    periodEndsAt: currentPeriod?.endsAt ?? null,
    nextBilledAt: subscription.nextBilledAt,
    scheduledAction: scheduledChange?.action ?? null,
    scheduledAt: scheduledChange?.effectiveAt ?? null,
    startedAt: subscription.startedAt,
    pausedAt: subscription.pausedAt,
    canceledAt: subscription.canceledAt,
    asOf: subscription.updatedAt,
  };
};
type SubscriptionSnapshot = ReturnType<typeof toSubscriptionSnapshot>;

/** Same fields in the same order as `shape`, because the two are compared as JSON. */
const subscriptionSnapshotOf = (row: Subscription, shape: SubscriptionSnapshot): SubscriptionSnapshot =>
  Object.fromEntries(
    Object.keys(shape).map((name) => [name, row[name as keyof SubscriptionSnapshot]]),
  ) as SubscriptionSnapshot;

/** An outdated state only adds the owner if it was unknown. @returns the users concerned */
export const storeSubscription = async (tx: Ctx, subscription: PaymentSubscription): Promise<UserId[]> => {
  const { id, customerId, customData } = subscription;
  await lockSubjects(tx, { customerId });
  const owner = await findOwner(tx, { customData, customerId, subscriptionId: id });
  const [current] = await tx.db
    .select({ userId: subscriptions.userId })
    .from(subscriptions)
    .where(eq(subscriptions.id, id));
  await lockOwners(tx, [owner.userId, current?.userId]);
  const [known] = await tx.db.select().from(subscriptions).where(eq(subscriptions.id, id));
  const incoming = toSubscriptionSnapshot(tx, subscription);
  const userId = owner.isExplicit ? owner.userId : (known?.userId ?? owner.userId);
  const isNewer = !known || compareSnapshots(incoming, subscriptionSnapshotOf(known, incoming)) > 0;
  if (!known) await tx.db.insert(subscriptions).values({ id, ...incoming, userId });
  else
    await tx.db
      .update(subscriptions)
      .set({ ...(isNewer && incoming), userId })
      .where(eq(subscriptions.id, id));
  const assigned = await assignUnowned(tx, { userId, subscriptionId: id, customerId });
  return [userId, known?.userId, ...assigned].filter((item) => item != null);
};

const toPaymentSnapshot = (tx: Ctx, transaction: PaymentTransaction) => ({
  ...readItems(tx.settings.prices, transaction.items),
  subscriptionId: transaction.subscriptionId,
  customerId: transaction.customerId,
  status: transaction.status,
  origin: transaction.origin,
  periodStartsAt: transaction.billingPeriod?.startsAt ?? null,
  periodEndsAt: transaction.billingPeriod?.endsAt ?? null,
  currency: transaction.currency,
  totalMinor: transaction.totalMinor,
  method: transaction.method,
  failure: transaction.failure,
  invoiceNumber: transaction.invoiceNumber,
  createdAt: transaction.createdAt,
  paidAt: transaction.billedAt,
  asOf: transaction.updatedAt,
});
type PaymentSnapshot = ReturnType<typeof toPaymentSnapshot>;

/** A granted payment keeps its offer even after the price leaves our table. */
const keepGrantedItems = (incoming: PaymentSnapshot, known: Payment | undefined): PaymentSnapshot => {
  if (!known?.grantedAt || incoming.kind !== "other") return incoming;
  return { ...incoming, kind: known.kind, plan: known.plan, credits: known.credits };
};

const paymentSnapshotOf = (row: Payment, shape: PaymentSnapshot): PaymentSnapshot =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, row[name as keyof PaymentSnapshot]])) as PaymentSnapshot;

/** The first completed payment of a customer decides its owner. */
const saveCustomer = async (tx: Ctx, { customerId, createdAt, status }: PaymentSnapshot, userId: UserId) => {
  if (!customerId || status !== "completed") return;
  await tx.db
    .insert(paymentCustomers)
    .values({ customerId, userId, createdAt })
    .onConflictDoUpdate({
      target: paymentCustomers.customerId,
      set: { userId, createdAt },
      setWhere: gt(paymentCustomers.createdAt, createdAt),
    });
};

const ownerOf = (known: Payment | undefined, owner: Owner): { userId: UserId | null; purchaseId: string | null } => {
  // A granted payment never changes its owner.
  if (known?.grantedAt) return { userId: known.userId, purchaseId: known.purchaseId };
  return {
    userId: owner.isExplicit ? owner.userId : (known?.userId ?? owner.userId),
    purchaseId: owner.purchaseId ?? known?.purchaseId ?? null,
  };
};

/** An outdated state only adds the owner if it was unknown. @returns the users concerned */
export const storePayment = async (tx: Ctx, transaction: PaymentTransaction): Promise<UserId[]> => {
  const { id, customerId, subscriptionId } = transaction;
  await lockSubjects(tx, { transactionId: id, customerId });
  const owner = await findOwner(tx, transaction);
  const [current] = await tx.db.select({ userId: payments.userId }).from(payments).where(eq(payments.id, id));
  await lockOwners(tx, [owner.userId, current?.userId]);
  const [known] = await tx.db.select().from(payments).where(eq(payments.id, id));
  const incoming = keepGrantedItems(toPaymentSnapshot(tx, transaction), known);
  const owned = ownerOf(known, owner);
  const isNewer = !known || compareSnapshots(incoming, paymentSnapshotOf(known, incoming)) > 0;
  const items = isNewer ? transaction.items : (known.items ?? transaction.items);
  if (!known) await tx.db.insert(payments).values({ id, ...incoming, items, ...owned });
  else
    await tx.db
      .update(payments)
      .set({ ...(isNewer && incoming), items, ...owned })
      .where(eq(payments.id, id));
  if (owner.isExplicit && owner.userId) await saveCustomer(tx, incoming, owner.userId);
  const userId = owned.userId;
  const assigned = await assignUnowned(tx, { userId, subscriptionId, customerId });
  return [userId, known?.userId, ...assigned].filter((item) => item != null);
};

/** It may arrive before its payment; storing the payment then settles both. @returns the users concerned */
export const storeAdjustment = async (tx: Ctx, adjustment: PaymentAdjustment): Promise<UserId[]> => {
  const { id, transactionId, action, status, currency, totalMinor, createdAt, updatedAt } = adjustment;
  await lockSubjects(tx, { transactionId });
  const rows = await tx.db.select({ userId: payments.userId }).from(payments).where(eq(payments.id, transactionId));
  await lockOwners(
    tx,
    rows.map(({ userId }) => userId),
  );
  const incoming = { transactionId, action, status, currency, totalMinor, createdAt, asOf: updatedAt };
  const [known] = await tx.db.select().from(paymentAdjustments).where(eq(paymentAdjustments.id, id));
  if (!known) await tx.db.insert(paymentAdjustments).values({ id, ...incoming });
  else if (compareSnapshots(incoming, { ...incoming, ...comparableFields(known) }) > 0) {
    await tx.db.update(paymentAdjustments).set(incoming).where(eq(paymentAdjustments.id, id));
  }
  return rows.flatMap(({ userId }) => (userId ? [userId] : []));
};

const comparableFields = (row: typeof paymentAdjustments.$inferSelect) => {
  const { transactionId, action, status, currency, totalMinor, createdAt, asOf } = row;
  return { transactionId, action, status, currency, totalMinor, createdAt, asOf };
};
