import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { paymentCustomers, payments, subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";

/** What is known of something that was just stored. */
interface Known {
  userId: UserId | null;
  subscriptionId: string | null;
  customerId: string | null;
}

const adoptBySubscription = async (tx: Ctx, subscriptionId: string, userId: string): Promise<number> => {
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

const adoptByCustomer = async (tx: Ctx, customerId: string, userId: string): Promise<number> => {
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
export const adoptOrphans = async (tx: Ctx, known: Known): Promise<UserId[]> => {
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
  if ((await adoptByCustomer(tx, customerId, customer.userId)) > 0) adopted.push(customer.userId as UserId);
  return adopted;
};
