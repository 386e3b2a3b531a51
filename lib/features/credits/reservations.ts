import "server-only";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { rollAllowance } from "./allowance.ts";
import { lockBalance, type Movement, moveCredits, reclaimReturned } from "./ledger.ts";
import { affordableCount, availableOf, type Buckets, splitCost } from "./policy.ts";

/** Work that wants credits. `reference` names it for ever: the id of a generation task. */
interface Lot {
  reference: string;
  costCredits: number;
}

/** How many lots, from the first on, are reserved, what is available afterwards, and the mails to announce. */
interface Reservation {
  reserved: number;
  availableCredits: number;
  letterIds: LetterId[];
}

type Reserved = Lot & { fromAllowance: number; fromPurchased: number };

const divide = (buckets: Buckets, lots: readonly Lot[]): Reserved[] => {
  let left = buckets;
  return lots.map((lot) => {
    const split = splitCost(left, lot.costCredits);
    left = { allowance: left.allowance - split.fromAllowance, purchased: left.purchased - split.fromPurchased };
    return { ...lot, ...split };
  });
};

const toMovement = ({ reference, costCredits, fromAllowance, fromPurchased }: Reserved): Movement => ({
  kind: "reserve",
  cause: `reserve:${reference}`,
  lines: { allowance: -fromAllowance, purchased: -fromPurchased, held: costCredits },
});

/**
 * Holds credits for as many lots as the balance affords, in their order (R-SRV-01, R-SRV-02). The balance is locked,
 * so starts at the same moment cannot spend the same credit.
 */
export const reserveCredits = (ctx: Ctx, input: { userId: UserId; lots: readonly Lot[] }): Promise<Reservation> =>
  inTransaction(ctx, async (tx) => {
    const { userId, lots } = input;
    const balance = await rollAllowance(tx, await lockBalance(tx, userId));
    const available = availableOf(balance);
    const reserved = affordableCount(
      available,
      lots.map(({ costCredits }) => costCredits),
    );
    if (reserved === 0) return { reserved: 0, availableCredits: available, letterIds: [] };
    const divided = divide(balance, lots.slice(0, reserved));
    // The primary key refuses a reference that was reserved before; everything here is undone then.
    await tx.db.insert(creditReservations).values(
      divided.map(({ reference, fromAllowance, fromPurchased }) => {
        return { reference, userId, fromAllowance, fromPurchased, period: balance.period, createdAt: tx.now() };
      }),
    );
    const moved = await moveCredits(tx, { balance, movements: divided.map(toMovement) });
    return { reserved, availableCredits: availableOf(moved.balance), letterIds: moved.letterIds };
  });

type Outcome = "spend" | "release";

type SettleResult =
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
    const settled = await settleReservations(tx, { userId: userId, references: [reference], outcome });
    if (settled.references.length > 0) return { kind: "settled", outcome, credits: settled.credits };
    return { kind: "already_settled", outcome: (await findReservation(tx, reference)).outcome };
  });

type OpenReservation = typeof creditReservations.$inferSelect;
type SettledOutcome = "spend" | "release";

const toSettlementMovement = (reservation: OpenReservation, outcome: SettledOutcome): Movement => {
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
  input: { userId: UserId; references: readonly string[]; outcome: SettledOutcome },
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
  await moveCredits(tx, {
    balance,
    movements: [...settled.map((one) => toSettlementMovement(one, outcome)), ...reclaimed],
  });
  const credits = settled.reduce((sum, { fromAllowance, fromPurchased }) => sum + fromAllowance + fromPurchased, 0);
  return { references: settled.map(({ reference }) => reference), credits };
};
