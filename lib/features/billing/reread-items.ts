import "server-only";
import { eq } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { Payment } from "./queries.ts";
import { readItems } from "./read-items.ts";

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
