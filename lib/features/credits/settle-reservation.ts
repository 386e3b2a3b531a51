import "server-only";
import { eq } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { settleReservations } from "./settle-reservations.ts";

type Outcome = "spend" | "release";

export type SettleResult =
  | { kind: "settled"; outcome: Outcome; credits: number }
  | { kind: "already_settled"; outcome: Outcome | null };

const findReservation = async (tx: Ctx, reference: string): Promise<typeof creditReservations.$inferSelect> => {
  const [row] = await tx.db.select().from(creditReservations).where(eq(creditReservations.reference, reference));
  if (!row) throw new AppError("not_found");
  return row;
};

/**
 * Ends one reservation, whoever's it is; see {@link settleReservations}.
 * @throws AppError `not_found` for a reference that was never reserved.
 */
export const settleReservation = (ctx: Ctx, input: { reference: string; outcome: Outcome }): Promise<SettleResult> =>
  inTransaction(ctx, async (tx) => {
    const { reference, outcome } = input;
    const { userId } = await findReservation(tx, reference);
    // Rows of this table hold the ids of users.
    const settled = await settleReservations(tx, { userId: userId as UserId, references: [reference], outcome });
    if (settled.references.length > 0) return { kind: "settled", outcome, credits: settled.credits };
    return { kind: "already_settled", outcome: (await findReservation(tx, reference)).outcome };
  });
