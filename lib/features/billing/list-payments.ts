import "server-only";
import { and, desc, eq, inArray, isNotNull, lt, ne, or, type SQL } from "drizzle-orm";
import { paymentAdjustments, payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { ListPaymentsInput } from "./schema.ts";

/** A payment as the database holds it, with what was paid back of it in the smallest unit of its currency. */
export type Payment = typeof payments.$inferSelect & { refundedMinor: number };

/** Payments, newest first, and where the next page begins. */
export interface PaymentPage {
  payments: Payment[];
  nextCursor: string | null;
}

/** What was tried: a checkout that was left before is no payment, and neither is a change of the card for nothing. */
const wasTried = (): SQL | undefined =>
  and(
    or(inArray(payments.status, ["completed", "paid", "billed", "past_due"]), isNotNull(payments.failure)),
    or(ne(payments.kind, "other"), ne(payments.totalMinor, 0)),
  );

const isAfter = ({ createdAt, id }: Position): SQL | undefined =>
  or(lt(payments.createdAt, createdAt), and(eq(payments.createdAt, createdAt), lt(payments.id, id)));

/** A chargeback whose reversal is told is `reversed` itself; the reversal then stands against it. */
const moved = (): SQL | undefined => {
  const { action, status } = paymentAdjustments;
  return or(
    and(inArray(action, ["refund", "chargeback_reverse"]), eq(status, "approved")),
    and(eq(action, "chargeback"), ne(status, "rejected")),
  );
};

/** Refunds and chargebacks of some payments that hold, less what a bank gave back to us. */
const findRefunded = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, number>> => {
  const { transactionId, action, totalMinor } = paymentAdjustments;
  const rows = await ctx.db
    .select({ transactionId, action, totalMinor })
    .from(paymentAdjustments)
    .where(and(inArray(transactionId, [...ids]), moved()));
  const sums = new Map<string, number>();
  for (const row of rows) {
    const signed = row.action === "chargeback_reverse" ? -row.totalMinor : row.totalMinor;
    sums.set(row.transactionId, (sums.get(row.transactionId) ?? 0) + signed);
  }
  return sums;
};

/**
 * The actor's payments, newest first (R-SET-03, R-API-16, A-19).
 * @throws AppError `invalid` for a cursor that is not ours.
 */
export const listPayments = async (ctx: Ctx, { limit, cursor }: ListPaymentsInput): Promise<PaymentPage> => {
  const userId = requireUserId(ctx);
  const after = cursor === undefined ? null : decodeCursor(cursor);
  if (cursor !== undefined && !after) throw new AppError("invalid", { text: "The cursor is not one of ours." });
  const query = ctx.db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), wasTried(), after ? isAfter(after) : undefined))
    .orderBy(desc(payments.createdAt), desc(payments.id));
  // One more than asked tells whether another page follows.
  const found = await (limit === undefined ? query : query.limit(limit + 1));
  const page = limit === undefined ? found : found.slice(0, limit);
  const refunded = await findRefunded(
    ctx,
    page.map(({ id }) => id),
  );
  const last = page.at(-1);
  return {
    payments: page.map((payment) => ({ ...payment, refundedMinor: Math.max(0, refunded.get(payment.id) ?? 0) })),
    nextCursor: last && found.length > page.length ? encodeCursor(last) : null,
  };
};
