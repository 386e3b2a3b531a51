import "server-only";
import { paymentReports } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { HELD_REASONS, type HeldReason } from "./constants.ts";

/** What support is to look at. `subject`: the provider's id of the payment, or of the event. */
export interface PaymentReport {
  /** Null where nobody knows whose it is. */
  userId: UserId | null;
  subject: string;
  reason: HeldReason;
  /** For people: '$29.00'; 'unknown'. */
  amount: string;
}

/** Tells support about a payment that gives nothing; each matter once. @returns the mail, when there is a new one */
export const reportProblem = async (tx: Ctx, report: PaymentReport): Promise<LetterId[]> => {
  const { userId, subject, reason, amount } = report;
  const [isNew] = await tx.db
    .insert(paymentReports)
    .values({ cause: `${subject}:${reason}`, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning();
  if (!isNew) return [];
  const letter = {
    kind: "payment_held" as const,
    subject,
    reason: HELD_REASONS[reason],
    user: userId ?? "unknown",
    amount,
  };
  return [await postLetter(tx, { userId: null, recipient: tx.settings.supportEmail, letter })];
};
