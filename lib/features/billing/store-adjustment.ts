import "server-only";
import { eq } from "drizzle-orm";
import { paymentAdjustments, payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PaymentAdjustment } from "#lib/integrations/payments/port.ts";
import { compareDescriptions } from "./compare-descriptions.ts";
import { lockOwners } from "./lock-owners.ts";
import { lockSubjects } from "./lock-subjects.ts";

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
  return rows.flatMap(({ userId }) => (userId ? [userId as UserId] : []));
};

const pick = (row: typeof paymentAdjustments.$inferSelect) => {
  const { transactionId, action, status, currency, totalMinor, createdAt, asOf } = row;
  return { transactionId, action, status, currency, totalMinor, createdAt, asOf };
};
