import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { ensureAllowance } from "./ensure-allowance.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";

type Reservation = typeof creditReservations.$inferSelect;
type Outcome = "spend" | "release";

export type SettleResult =
  | { kind: "settled"; outcome: Outcome; credits: number }
  | { kind: "already_settled"; outcome: Outcome | null };

const toMovement = (reservation: Reservation, outcome: Outcome): Movement => {
  const { reference, fromAllowance, fromPurchased } = reservation;
  const credits = fromAllowance + fromPurchased;
  const cause = `settle:${reference}`;
  if (outcome === "spend") return { kind: "spend", cause, lines: { held: -credits, spent: credits } };
  return { kind: "release", cause, lines: { held: -credits, allowance: fromAllowance, purchased: fromPurchased } };
};

const findReservation = async (tx: Ctx, reference: string): Promise<Reservation> => {
  const [row] = await tx.db.select().from(creditReservations).where(eq(creditReservations.reference, reference));
  if (!row) throw new AppError("not_found");
  return row;
};

/**
 * Ends a reservation once: spends it, or gives it back to the buckets it came from (R-SRV-01, D11).
 *
 * A part that came from the allowance of a period which has ended meanwhile returns into the present allowance: the
 * delay was ours, so the user must not lose the credit, and it must not become one that never expires either.
 * @throws AppError `not_found` for a reference that was never reserved.
 */
export const settleReservation = (ctx: Ctx, input: { reference: string; outcome: Outcome }): Promise<SettleResult> =>
  inTransaction(ctx, async (tx) => {
    const { reference, outcome } = input;
    const { userId: owner } = await findReservation(tx, reference);
    // Rows of this table hold the ids of users.
    const userId = owner as UserId;
    await lockBalance(tx, userId);
    const [settled] = await tx.db
      .update(creditReservations)
      .set({ settledAt: tx.now(), outcome })
      .where(and(eq(creditReservations.reference, reference), isNull(creditReservations.settledAt)))
      .returning();
    if (!settled) return { kind: "already_settled", outcome: (await findReservation(tx, reference)).outcome };
    // First the new period, if one has begun: its expiry would else take what is given back here.
    if (outcome === "release") await ensureAllowance(tx, { userId });
    await moveCredits(tx, { userId, movements: [toMovement(settled, outcome)] });
    return { kind: "settled", outcome, credits: settled.fromAllowance + settled.fromPurchased };
  });
