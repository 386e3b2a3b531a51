import "server-only";
import { creditReservations } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { affordableCount, availableOf, type Buckets, splitCost } from "./policy.ts";
import { rollAllowance } from "./roll-allowance.ts";

/** Work that wants credits. `reference` names it for ever: the id of a generation task. */
export interface Lot {
  reference: string;
  costCredits: number;
}

/** How many lots, from the first on, are reserved, what is available afterwards, and the mails to announce. */
export interface Reservation {
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
