import "server-only";
import { and, asc, eq, isNotNull } from "drizzle-orm";
import { paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import type { CustomData } from "#lib/integrations/payments/port.ts";

/** By what something may be known to be somebody's. */
export interface Traces {
  customData: CustomData;
  subscriptionId: string | null;
  customerId: string | null;
}

/** Whose something is. `isTold`: by what the checkout was opened with; else by what came before. */
export interface Owner {
  userId: UserId | null;
  purchaseId: string | null;
  isTold: boolean;
}

/** The recorded purchase decides, then the user that is named; both only if they exist (DESIGN §6). */
const findTold = async (tx: Ctx, { purchaseRef, userId }: CustomData): Promise<Owner | null> => {
  if (isId("purchase", purchaseRef)) {
    const [row] = await tx.db.select({ userId: purchases.userId }).from(purchases).where(eq(purchases.id, purchaseRef));
    if (row) return { userId: row.userId as UserId, purchaseId: purchaseRef, isTold: true };
  }
  if (!isId("user", userId)) return null;
  const [row] = await tx.db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return row ? { userId, purchaseId: null, isTold: true } : null;
};

const findBySubscription = async (tx: Ctx, subscriptionId: string): Promise<string | null> => {
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

const findByCustomer = async (tx: Ctx, customerId: string): Promise<string | null> => {
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
  // Rows of these tables hold ids of users.
  return { userId: userId as UserId | null, purchaseId: null, isTold: false };
};
