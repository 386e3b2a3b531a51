import "server-only";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { reclaimReturned } from "./reclaim-returned.ts";
import { rollAllowance } from "./roll-allowance.ts";

type Reservation = typeof creditReservations.$inferSelect;
type Outcome = "spend" | "release";

const toMovement = (reservation: Reservation, outcome: Outcome): Movement => {
  const { reference, fromAllowance, fromPurchased } = reservation;
  const credits = fromAllowance + fromPurchased;
  const cause = `settle:${reference}`;
  if (outcome === "spend") return { kind: "spend", cause, lines: { held: -credits, spent: credits } };
  return { kind: "release", cause, lines: { held: -credits, allowance: fromAllowance, purchased: fromPurchased } };
};

/**
 * Ends reservations of one user, each once: spends them, or gives them back to the buckets they came from
 * (R-SRV-01, D11). Those that are settled already are left as they are.
 *
 * A part that came from the allowance of a period which has ended meanwhile returns into the present allowance: the
 * delay was ours, so the user must not lose the credit, and it must not become one that never expires either.
 * What a refund or a chargeback would have taken meanwhile, had it not been held, goes at once: {@link reclaimReturned}.
 * Belongs into a transaction.
 * @returns what was settled now, and how many credits that moved.
 */
export const settleReservations = async (
  tx: Ctx,
  input: { userId: UserId; references: readonly string[]; outcome: Outcome },
): Promise<{ references: string[]; credits: number }> => {
  const { userId, references, outcome } = input;
  if (references.length === 0) return { references: [], credits: 0 };
  const locked = await lockBalance(tx, userId);
  const settled = await tx.db
    .update(creditReservations)
    .set({ settledAt: tx.now(), outcome })
    .where(
      and(
        eq(creditReservations.userId, userId),
        inArray(creditReservations.reference, [...references]),
        isNull(creditReservations.settledAt),
      ),
    )
    .returning();
  if (settled.length === 0) return { references: [], credits: 0 };
  // First the new period, if one has begun: its expiry would else take what is given back here.
  const balance = outcome === "release" ? await rollAllowance(tx, locked) : locked;
  const reclaimed = outcome === "release" ? await reclaimReturned(tx, { balance, released: settled }) : [];
  await moveCredits(tx, { balance, movements: [...settled.map((one) => toMovement(one, outcome)), ...reclaimed] });
  const credits = settled.reduce((sum, { fromAllowance, fromPurchased }) => sum + fromAllowance + fromPurchased, 0);
  return { references: settled.map(({ reference }) => reference), credits };
};
