import "server-only";
import { creditReservations } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { ensureAllowance } from "./ensure-allowance.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { affordableCount, availableOf, type Buckets, splitCost } from "./policy.ts";

/** Work that wants credits. `reference` names it for ever: the id of a generation task. */
export interface Lot {
  reference: string;
  costCredits: number;
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
 * @returns how many lots, from the first on, are reserved, and what is available afterwards.
 */
export const reserveCredits = (
  ctx: Ctx,
  input: { userId: UserId; lots: readonly Lot[] },
): Promise<{ reserved: number; availableCredits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { userId, lots } = input;
    await ensureAllowance(tx, { userId });
    const balance = await lockBalance(tx, userId);
    const available = availableOf(balance);
    const reserved = affordableCount(
      available,
      lots.map(({ costCredits }) => costCredits),
    );
    if (reserved === 0) return { reserved: 0, availableCredits: available };
    const divided = divide(balance, lots.slice(0, reserved));
    // The primary key refuses a reference that was reserved before; everything here is undone then.
    await tx.db.insert(creditReservations).values(
      divided.map(({ reference, fromAllowance, fromPurchased }) => {
        return { reference, userId, fromAllowance, fromPurchased, createdAt: tx.now() };
      }),
    );
    await moveCredits(tx, { userId, movements: divided.map(toMovement) });
    return { reserved, availableCredits: available - divided.reduce((sum, lot) => sum + lot.costCredits, 0) };
  });
