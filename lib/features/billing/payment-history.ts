import "server-only";
import { and, desc, eq, inArray, isNotNull, lt, ne, or, type SQL } from "drizzle-orm";
import { paymentAdjustments, payments } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { askProvider } from "./checkout.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded, hasReceipt } from "./policy.ts";
import { findSubscription, isSoleCustomer } from "./queries.ts";
import type { ListPaymentsInput, PaymentIdInput } from "./schema.ts";

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

/**
 * Address of the invoice of one of the actor's payments; it lives for an hour and is never stored.
 * @throws AppError `not_found` for a payment that is absent or somebody else's; `wrong_state` for one without an
 * invoice; the provider's errors.
 */
export const openReceipt = async (ctx: Ctx<"payments">, { id }: PaymentIdInput): Promise<string> => {
  const isOwn = and(eq(payments.id, id), eq(payments.userId, requireUserId(ctx)));
  const [payment] = await ctx.db.select({ status: payments.status }).from(payments).where(isOwn);
  if (!payment) throw new AppError("not_found");
  if (!hasReceipt(payment)) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.noReceipt });
  const url = httpUrl(await askProvider(ctx, ctx.payments.invoiceUrl(id)));
  if (!url) throw new AppError("provider_failed");
  return url;
};

/**
 * Address of the provider's page where the actor changes the way of paying: asked for when it is wanted, never stored
 * (DESIGN §6). The portal shows all that its customer ever bought, so it opens for the actor's own customer only; else
 * it is a checkout for this one subscription. @throws AppError `wrong_state` without a subscription that goes on; the provider's errors.
 */
export const openPortal = async (ctx: Ctx<"payments">): Promise<string> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription?.customerId || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToManage });
  }
  const { id, customerId } = subscription;
  const isSole = await isSoleCustomer(ctx, { userId, customerId });
  const address = isSole ? ctx.payments.portalUrl(customerId, id) : ctx.payments.paymentMethodUrl(id);
  const url = httpUrl(await askProvider(ctx, address));
  if (!url) throw new AppError("provider_failed");
  return url;
};
