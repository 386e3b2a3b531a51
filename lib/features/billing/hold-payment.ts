import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { formatMoney, toMajor } from "#lib/core/money.ts";
import type { HeldReason } from "./constants.ts";
import type { Payment } from "./queries.ts";
import { reportProblem } from "./report-problem.ts";

/** Keeps a payment that gives nothing, with the reason, and tells support once. Another look may still release it. */
export const holdPayment = async (
  tx: Ctx,
  { userId, payment, reason }: { userId: UserId | null; payment: Payment; reason: HeldReason },
): Promise<LetterId[]> => {
  if (payment.heldReason === reason) return [];
  await tx.db
    .update(payments)
    .set({ heldReason: reason })
    .where(and(eq(payments.id, payment.id), isNull(payments.grantedAt)));
  const amount = formatMoney(toMajor(payment.totalMinor, payment.currency), payment.currency);
  return reportProblem(tx, { userId, subject: payment.id, reason, amount });
};
