import "server-only";
import { and, eq, inArray, isNotNull, or, sql } from "drizzle-orm";
import { paymentCustomers, paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";

/** Transactions and subscriptions in what the provider told; refunds name nobody. */
const TOLD_TRANSACTION = sql`${paymentEvents.fact} #>> '{transaction,id}'`;
const TOLD_SUBSCRIPTION = sql`${paymentEvents.fact} #>> '{subscription,id}'`;

const forget = async (tx: Ctx, userId: UserId): Promise<void> => {
  const ofUser = { payments: eq(payments.userId, userId), subscriptions: eq(subscriptions.userId, userId) };
  const paid = tx.db.select({ id: payments.id }).from(payments).where(ofUser.payments);
  const had = tx.db.select({ id: subscriptions.id }).from(subscriptions).where(ofUser.subscriptions);
  await tx.db
    .update(paymentEvents)
    .set({ fact: null })
    .where(
      and(
        isNotNull(paymentEvents.appliedAt),
        isNotNull(paymentEvents.fact),
        or(inArray(TOLD_TRANSACTION, paid), inArray(TOLD_SUBSCRIPTION, had)),
      ),
    );
  await tx.db.update(payments).set({ customerId: null, method: null, purchaseId: null }).where(ofUser.payments);
  await tx.db.update(subscriptions).set({ customerId: null }).where(ofUser.subscriptions);
  await tx.db.delete(paymentCustomers).where(eq(paymentCustomers.userId, userId));
  await tx.db.delete(purchases).where(eq(purchases.userId, userId));
};

/**
 * Takes the person out of what a deleted user paid: the provider's customer, the card in words, what was set out to be
 * bought, and what was read out of events. The payments stay with date, amount, invoice number and what they were for, as
 * bookkeeping demands, under an id that names nobody. May run again.
 */
export const forgetPayer = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, (tx) => forget(tx, userId));
