import "server-only";
import { and, eq, inArray, isNull, lte, notExists, sql } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { paymentAdjustments, payments, purchases } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/**
 * Every night: deletes checkouts that were left before anybody tried to pay, anybody's and nobody's, and what was written
 * down to open one. One that is paid later still is told of again, with its user. @returns how many
 */
export const retireCheckouts = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.checkout);
  const { id, status, failure, method, grantedAt, heldReason, asOf } = payments;
  const returned = ctx.db
    .select({ one: sql`1` })
    .from(paymentAdjustments)
    .where(eq(paymentAdjustments.transactionId, id));
  const left = await deleteInBatches(ctx.db, {
    table: payments,
    key: id,
    where: and(
      inArray(status, ["draft", "ready", "canceled"]),
      lte(asOf, before),
      isNull(failure),
      isNull(method),
      isNull(grantedAt),
      isNull(heldReason),
      notExists(returned),
    ),
  });
  const paid = ctx.db.select({ one: sql`1` }).from(payments).where(eq(payments.purchaseId, purchases.id));
  const begun = await deleteInBatches(ctx.db, {
    table: purchases,
    key: purchases.id,
    where: and(lte(purchases.createdAt, before), notExists(paid)),
  });
  return left + begun;
};
