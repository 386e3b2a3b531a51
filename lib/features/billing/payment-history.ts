import "server-only";
import { and, desc, eq, inArray, isNotNull, lt, ne, or, type SQL } from "drizzle-orm";
import { paymentAdjustments, payments } from "#db/schema/billing.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { unwrapResult } from "./checkout.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded, hasReceipt } from "./policy.ts";
import { findSubscription, isSoleCustomer } from "./queries.ts";
import type { ListPaymentsInput, PaymentIdInput } from "./schema.ts";

/** `refundedMinor`: in the currency's smallest unit. */
export type Payment = typeof payments.$inferSelect & { refundedMinor: number };

export interface PaymentPage {
  payments: Payment[];
  nextCursor: string | null;
}

/** Leaves out abandoned checkouts and zero payments that only replaced a card. */
const isAttempted = (): SQL | undefined =>
  and(
    or(inArray(payments.status, ["completed", "paid", "billed", "past_due"]), isNotNull(payments.failure)),
    or(ne(payments.kind, "other"), ne(payments.totalMinor, 0)),
  );

const isAfter = ({ createdAt, id }: Position): SQL | undefined =>
  or(lt(payments.createdAt, createdAt), and(eq(payments.createdAt, createdAt), lt(payments.id, id)));

/** A reversed chargeback has the status `reversed`, and its reversal counts against it. */
const countsAsRefund = (): SQL | undefined => {
  const { action, status } = paymentAdjustments;
  return or(
    and(inArray(action, ["refund", "chargeback_reverse"]), eq(status, "approved")),
    and(eq(action, "chargeback"), ne(status, "rejected")),
  );
};

const findRefunded = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, number>> => {
  const { transactionId, action, totalMinor } = paymentAdjustments;
  const rows = await ctx.db
    .select({ transactionId, action, totalMinor })
    .from(paymentAdjustments)
    .where(and(isAnyOf(transactionId, ids), countsAsRefund()));
  const sums = new Map<string, number>();
  for (const row of rows) {
    const signed = row.action === "chargeback_reverse" ? -row.totalMinor : row.totalMinor;
    sums.set(row.transactionId, (sums.get(row.transactionId) ?? 0) + signed);
  }
  return sums;
};

/** @throws AppError `invalid` for a foreign cursor */
export const listPayments = async (ctx: Ctx, { limit, cursor }: ListPaymentsInput): Promise<PaymentPage> => {
  const userId = requireUserId(ctx);
  const after = cursor === undefined ? null : decodeCursor(cursor);
  if (cursor !== undefined && !after) throw new AppError("invalid", { text: "This cursor isn't valid." });
  const query = ctx.db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), isAttempted(), after ? isAfter(after) : undefined))
    .orderBy(desc(payments.createdAt), desc(payments.id));
  const found = await (limit === undefined ? query : query.limit(limit + 1));
  const pageRows = limit === undefined ? found : found.slice(0, limit);
  const refunded = await findRefunded(
    ctx,
    pageRows.map(({ id }) => id),
  );
  const last = pageRows.at(-1);
  return {
    payments: pageRows.map((payment) => ({ ...payment, refundedMinor: Math.max(0, refunded.get(payment.id) ?? 0) })),
    nextCursor: last && found.length > pageRows.length ? encodeCursor(last) : null,
  };
};

/** The URL is valid for an hour. @throws AppError `not_found`; `wrong_state` without an invoice; provider errors */
export const openReceipt = async (ctx: Ctx<"payments">, { id }: PaymentIdInput): Promise<string> => {
  const isOwn = and(eq(payments.id, id), eq(payments.userId, requireUserId(ctx)));
  const [payment] = await ctx.db.select({ status: payments.status }).from(payments).where(isOwn);
  if (!payment) throw new AppError("not_found");
  if (!hasReceipt(payment)) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.noReceipt });
  const url = httpUrl(await unwrapResult(ctx, ctx.payments.invoiceUrl(id)));
  if (!url) throw new AppError("provider_failed");
  return url;
};

/**
 * The portal shows everything a customer bought, so a customer shared between users gets a checkout for this one
 * subscription instead. @throws AppError `wrong_state` without a live subscription; provider errors
 */
export const openPortal = async (ctx: Ctx<"payments">): Promise<string> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription?.customerId || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToManage });
  }
  const { id, customerId } = subscription;
  const isSole = await isSoleCustomer(ctx, { userId, customerId });
  const request = isSole ? ctx.payments.portalUrl(customerId, id) : ctx.payments.paymentMethodUrl(id);
  const url = httpUrl(await unwrapResult(ctx, request));
  if (!url) throw new AppError("provider_failed");
  return url;
};
