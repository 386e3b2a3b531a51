import "server-only";
import type { creditReservations } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import type { Movement } from "./move-credits.ts";
import { isOfPeriod, lateCause, type PurchasedLot, remainderOfLot } from "./policy.ts";
import { type Balance, findGifts, findReserved, findUnmet, type Gift, sumUsed, type Unmet } from "./queries.ts";

type Reservation = typeof creditReservations.$inferSelect;

/** Allowance that comes back now: the number of the movement by which it was reserved, and in which period. */
interface Back {
  number: number;
  period: string | null;
  credits: number;
}

const isOf = ({ cause }: Unmet, gift: Gift): boolean => gift.cause === cause || gift.cause.startsWith(lateCause(cause));

const takenBy = (unmet: Unmet, gifts: readonly Gift[]): number =>
  gifts.reduce((sum, gift) => (isOf(unmet, gift) ? sum - gift.allowance - gift.purchased : sum), 0);

const lotsOf = (gifts: readonly Gift[]): PurchasedLot[] => {
  const lots = Map.groupBy(
    gifts.filter(({ kind }) => kind !== "allowance"),
    ({ grantCause, cause }) => grantCause ?? cause,
  );
  return [...lots].map(([cause, own]) => ({ cause, credits: own.reduce((sum, { purchased }) => sum + purchased, 0) }));
};

/**
 * What a refund of a pack takes more, now that less was used than it seemed: as if what came back had never been
 * reserved. So the oldest credits count as used first here too, and what was bought later is left alone.
 */
const lateOfPack = (unmet: Unmet, earlier: readonly Unmet[], gifts: readonly Gift[], used: number): number => {
  const before = gifts.filter(
    (gift) => !isOf(unmet, gift) && (gift.number < unmet.number || earlier.some((one) => isOf(one, gift))),
  );
  const lots = lotsOf(before);
  const had = lots.reduce((sum, { credits }) => sum + credits, 0);
  const all = Math.min(unmet.demanded, remainderOfLot(lots, had - used, unmet.grantCause));
  return Math.max(0, all - takenBy(unmet, gifts));
};

/** What a refund of a plan takes more: what comes back of that very period, reserved before the refund. */
const lateOfPlan = (unmet: Unmet, gifts: readonly Gift[], backs: Back[]): number => {
  let left = unmet.demanded - takenBy(unmet, gifts);
  let late = 0;
  for (const back of backs) {
    if (back.number > unmet.number || back.period === null || !isOfPeriod(unmet.grantCause, back.period)) continue;
    const taken = Math.min(left, back.credits);
    back.credits -= taken;
    left -= taken;
    late += taken;
  }
  return late;
};

const toMovement = (
  unmet: Unmet,
  gifts: readonly Gift[],
  bucket: "allowance" | "purchased",
  late: number,
): Movement => {
  const times = gifts.filter(({ cause }) => cause.startsWith(lateCause(unmet.cause))).length;
  const { note, grantCause } = unmet;
  const lines = { [bucket]: -late, issued: late };
  return { kind: "revoke", cause: `${lateCause(unmet.cause)}${times + 1}`, note, grantCause, lines };
};

/**
 * Credits that were held for work when a refund or a chargeback took back what their payment gave, and that come back now:
 * they go the same way, up to what was demanded, never below zero (DESIGN §6). Once a chargeback is reversed it takes no
 * more. What was reserved after all of the refunds costs no look at the history. Belongs under the lock of the balance, after the reservations are marked as released and before they are moved.
 * @returns the movements to be made together with the releases
 */
export const reclaimReturned = async (
  tx: Ctx,
  { balance, released }: { balance: Balance; released: readonly Reservation[] },
): Promise<Movement[]> => {
  const unmet = await findUnmet(tx, balance.userId);
  if (unmet.length === 0) return [];
  const backs = await findReserved(tx, released);
  // What was reserved after a refund changes nothing of it: without this, each release would walk the whole history.
  if (!unmet.some(({ number }) => backs.some((back) => back.number < number))) return [];
  const gifts = await findGifts(tx, balance.userId);
  const left = {
    allowance: released.reduce((sum, { fromAllowance }) => sum + fromAllowance, balance.allowance),
    purchased: released.reduce((sum, { fromPurchased }) => sum + fromPurchased, balance.purchased),
  };
  const movements: Movement[] = [];
  for (const [at, one] of unmet.entries()) {
    const bucket = one.isPlan ? "allowance" : "purchased";
    const late = Math.min(
      left[bucket],
      one.isPlan
        ? lateOfPlan(one, gifts, backs)
        : lateOfPack(one, unmet.slice(0, at), gifts, await sumUsed(tx, balance.userId, one.number)),
    );
    if (late <= 0) continue;
    left[bucket] -= late;
    const movement = toMovement(one, gifts, bucket, late);
    movements.push(movement);
    const { kind, cause, grantCause = null } = movement;
    // The next one reckons with it.
    gifts.push({
      number: Number.POSITIVE_INFINITY,
      kind,
      cause,
      grantCause,
      allowance: 0,
      purchased: 0,
      [bucket]: -late,
    });
  }
  return movements;
};
