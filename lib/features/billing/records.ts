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

/** By what something may be known to be somebody's. */
interface Traces {
  customData: CustomData;
  subscriptionId: string | null;
  customerId: string | null;
}

/** Whose something is. `isTold`: by what the checkout was opened with; else by what came before. */
interface Owner {
  userId: UserId | null;
  purchaseId: string | null;
  isTold: boolean;
}

/** The recorded purchase decides, then the user that is named; both only if they exist (DESIGN §6). */
const findTold = async (tx: Ctx, { purchaseRef, userId }: CustomData): Promise<Owner | null> => {
  if (isId("purchase", purchaseRef)) {
    const [row] = await tx.db.select({ userId: purchases.userId }).from(purchases).where(eq(purchases.id, purchaseRef));
    if (row) return { userId: row.userId, purchaseId: purchaseRef, isTold: true };
  }
  if (!isId("user", userId)) return null;
  const [row] = await tx.db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return row ? { userId, purchaseId: null, isTold: true } : null;
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

/**
 * Whose a transaction or subscription is: by what its checkout was opened with, else whose subscription, else whose
 * customer it belongs to. Null until something tells.
 */
export const findOwner = async (tx: Ctx, traces: Traces): Promise<Owner> => {
  const told = await findTold(tx, traces.customData);
  if (told) return told;
  const bySubscription = traces.subscriptionId ? await findBySubscription(tx, traces.subscriptionId) : null;
  const userId = bySubscription ?? (traces.customerId ? await findByCustomer(tx, traces.customerId) : null);
  return { userId, purchaseId: null, isTold: false };
};

/**
 * Locks those whom something concerns that is about to be stored, in one order, before any row is written: settling marks
 * other rows of theirs, and whoever wrote one first and waited for the user then would wait for ever (decision 0017).
 */
const lockOwners = async (tx: Ctx, userIds: readonly (UserId | null | undefined)[]): Promise<void> => {
  const known = [...new Set(userIds.filter((userId) => userId != null))].sort();
  for (const userId of known) await lockUser(tx, userId);
};

/**
 * Whoever stores something about the same transaction or customer does so one after the other, until the transaction
 * ends: two descriptions that arrive together then know of each other. Always in the order given here.
 */
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

/** What is known of something that was just stored. */
interface Known {
  userId: UserId | null;
  subscriptionId: string | null;
  customerId: string | null;
}

const adoptBySubscription = async (tx: Ctx, subscriptionId: string, userId: UserId): Promise<number> => {
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

const adoptByCustomer = async (tx: Ctx, customerId: string, userId: UserId): Promise<number> => {
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

/**
 * What was nobody's so far becomes somebody's by what was just stored: the rest of the same subscription, and of the
 * same customer. @returns whose something became
 */
const adoptOrphans = async (tx: Ctx, known: Known): Promise<UserId[]> => {
  const { userId, subscriptionId, customerId } = known;
  const adopted: UserId[] = [];
  if (userId && subscriptionId && (await adoptBySubscription(tx, subscriptionId, userId)) > 0) adopted.push(userId);
  if (!customerId) return adopted;
  const [customer] = await tx.db
    .select({ userId: paymentCustomers.userId })
    .from(paymentCustomers)
    .where(eq(paymentCustomers.customerId, customerId));
  if (!customer) return adopted;
  // Rows of this table hold ids of users.
  if ((await adoptByCustomer(tx, customerId, customer.userId)) > 0) adopted.push(customer.userId);
  return adopted;
};

/** A description of something at the provider's. */
interface Description {
  asOf: Date;
  status: string;
}

/** The order in which statuses can follow one another within one millisecond. */
const RANK: Readonly<Record<string, number>> = {
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

/**
 * Which of two descriptions of the same thing is the newer one: positive when the first is. Descriptions arrive in any
 * order and more than once; what decides is their own time, then how far they are along, then their text, so that all
 * orders end with the same one.
 */
const compareDescriptions = (one: Description, other: Description): number => {
  const byTime = one.asOf.getTime() - other.asOf.getTime();
  if (byTime !== 0) return byTime;
  const byRank = (RANK[one.status] ?? 0) - (RANK[other.status] ?? 0);
  if (byRank !== 0) return byRank;
  const [text, otherText] = [JSON.stringify(one), JSON.stringify(other)];
  return text === otherText ? 0 : text > otherText ? 1 : -1;
};

const describeSubscription = (tx: Ctx, subscription: PaymentSubscription) => {
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
type SubscriptionDescription = ReturnType<typeof describeSubscription>;

/** The same fields of a stored row, in the same order: the two are compared. */
const subscriptionDescriptionOf = (row: Subscription, like: SubscriptionDescription): SubscriptionDescription =>
  // The names are those of a description, so the values make one.
  Object.fromEntries(
    Object.keys(like).map((name) => [name, row[name as keyof SubscriptionDescription]]),
  ) as SubscriptionDescription;

/**
 * Stores what was told about a subscription; a description that is older than the stored one changes nothing but whose
 * it is, where that was not known. @returns the users whom it concerns
 */
export const storeSubscription = async (tx: Ctx, subscription: PaymentSubscription): Promise<UserId[]> => {
  const { id, customerId, customData } = subscription;
  await lockSubjects(tx, { customerId });
  const owner = await findOwner(tx, { customData, customerId, subscriptionId: id });
  const [seen] = await tx.db
    .select({ userId: subscriptions.userId })
    .from(subscriptions)
    .where(eq(subscriptions.id, id));
  await lockOwners(tx, [owner.userId, seen?.userId]);
  const [known] = await tx.db.select().from(subscriptions).where(eq(subscriptions.id, id));
  const told = describeSubscription(tx, subscription);
  const userId = owner.isTold ? owner.userId : (known?.userId ?? owner.userId);
  const isNewer = !known || compareDescriptions(told, subscriptionDescriptionOf(known, told)) > 0;
  if (!known) await tx.db.insert(subscriptions).values({ id, ...told, userId });
  else
    await tx.db
      .update(subscriptions)
      .set({ ...(isNewer && told), userId })
      .where(eq(subscriptions.id, id));
  const adopted = await adoptOrphans(tx, { userId, subscriptionId: id, customerId });
  return [userId, known?.userId, ...adopted].filter((one) => one != null);
};

const describePayment = (tx: Ctx, transaction: PaymentTransaction) => ({
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
type PaymentDescription = ReturnType<typeof describePayment>;

/** What was given was given for something: a price that left our table does not make it nothing. */
const keepSold = (told: PaymentDescription, known: Payment | undefined): PaymentDescription => {
  if (!known?.grantedAt || told.kind !== "other") return told;
  return { ...told, kind: known.kind, plan: known.plan, credits: known.credits };
};

/** The same fields of a stored row, in the same order: the two are compared. */
const paymentDescriptionOf = (row: Payment, like: PaymentDescription): PaymentDescription =>
  // The names are those of a description, so the values make one.
  Object.fromEntries(
    Object.keys(like).map((name) => [name, row[name as keyof PaymentDescription]]),
  ) as PaymentDescription;

/** Who paid first with a customer's id decides whose it is; a checkout that nobody paid decides nothing. */
const rememberCustomer = async (tx: Ctx, { customerId, createdAt, status }: PaymentDescription, userId: UserId) => {
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
  // What was given stays with whom it was given to.
  if (known?.grantedAt) return { userId: known.userId, purchaseId: known.purchaseId };
  return {
    userId: owner.isTold ? owner.userId : (known?.userId ?? owner.userId),
    purchaseId: owner.purchaseId ?? known?.purchaseId ?? null,
  };
};

/**
 * Stores what was told about a transaction; a description that is older than the stored one changes nothing but whose
 * it is, where that was not known. @returns the users whom it concerns
 */
export const storePayment = async (tx: Ctx, transaction: PaymentTransaction): Promise<UserId[]> => {
  const { id, customerId, subscriptionId } = transaction;
  await lockSubjects(tx, { transactionId: id, customerId });
  const owner = await findOwner(tx, transaction);
  const [seen] = await tx.db.select({ userId: payments.userId }).from(payments).where(eq(payments.id, id));
  await lockOwners(tx, [owner.userId, seen?.userId]);
  const [known] = await tx.db.select().from(payments).where(eq(payments.id, id));
  const told = keepSold(describePayment(tx, transaction), known);
  const owned = ownerOf(known, owner);
  const isNewer = !known || compareDescriptions(told, paymentDescriptionOf(known, told)) > 0;
  const items = isNewer ? transaction.items : (known.items ?? transaction.items);
  if (!known) await tx.db.insert(payments).values({ id, ...told, items, ...owned });
  else
    await tx.db
      .update(payments)
      .set({ ...(isNewer && told), items, ...owned })
      .where(eq(payments.id, id));
  if (owner.isTold && owner.userId) await rememberCustomer(tx, told, owner.userId);
  const userId = owned.userId;
  const adopted = await adoptOrphans(tx, { userId, subscriptionId, customerId });
  return [userId, known?.userId, ...adopted].filter((one) => one != null);
};

/**
 * Stores what was told about a refund or a chargeback, unless something newer is known. It may come before the payment
 * it belongs to: whoever stores that one settles both. @returns the users whom it concerns
 */
export const storeAdjustment = async (tx: Ctx, adjustment: PaymentAdjustment): Promise<UserId[]> => {
  const { id, transactionId, action, status, currency, totalMinor, createdAt, updatedAt } = adjustment;
  await lockSubjects(tx, { transactionId });
  const rows = await tx.db.select({ userId: payments.userId }).from(payments).where(eq(payments.id, transactionId));
  await lockOwners(
    tx,
    rows.map(({ userId }) => userId),
  );
  const told = { transactionId, action, status, currency, totalMinor, createdAt, asOf: updatedAt };
  const [known] = await tx.db.select().from(paymentAdjustments).where(eq(paymentAdjustments.id, id));
  if (!known) await tx.db.insert(paymentAdjustments).values({ id, ...told });
  else if (compareDescriptions(told, { ...told, ...pick(known) }) > 0) {
    await tx.db.update(paymentAdjustments).set(told).where(eq(paymentAdjustments.id, id));
  }
  // Rows of this table hold ids of users.
  return rows.flatMap(({ userId }) => (userId ? [userId] : []));
};

const pick = (row: typeof paymentAdjustments.$inferSelect) => {
  const { transactionId, action, status, currency, totalMinor, createdAt, asOf } = row;
  return { transactionId, action, status, currency, totalMinor, createdAt, asOf };
};
