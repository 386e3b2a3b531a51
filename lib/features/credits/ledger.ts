import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { creditBalances, creditLines, type creditReservations, creditTransfers } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { postLetter } from "#lib/features/email/delivery.ts";
import { offerUnsubscribe } from "#lib/features/email/rendering.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { availableOf, isOfPeriod, judgeLowMail, lateCause, type PurchasedLot, remainderOfLot } from "./policy.ts";
import { type Balance, findGifts, findReserved, findUnmet, type Gift, sumUsed, type Unmet } from "./queries.ts";

/**
 * The balance of a user, locked until the transaction ends; an empty one is made when there is none.
 * Every movement takes this lock before it writes anything, so that movements of one user wait for one another in
 * one order and cannot deadlock. Call it inside a transaction.
 */
export const lockBalance = async (tx: Ctx, userId: UserId): Promise<Balance> => {
  const found = await selectLocked(tx, userId);
  if (found) return found;
  await tx.db.insert(creditBalances).values({ userId, period: "" }).onConflictDoNothing();
  const made = await selectLocked(tx, userId);
  if (!made) throw new AppError("internal", { cause: new Error("The balance vanished under its lock.") });
  return made;
};

const selectLocked = async (tx: Ctx, userId: UserId): Promise<Balance | undefined> => {
  const [row] = await tx.db.select().from(creditBalances).where(eq(creditBalances.userId, userId)).for("update");
  return row;
};

type LedgerAccount = (typeof creditLines.$inferSelect)["account"];

/** One movement of credits. `lines` are signed and sum to zero; `cause` is unique for all time (R-SRV-01). */
export interface Movement {
  kind: (typeof creditTransfers.$inferSelect)["kind"];
  cause: string;
  note?: string;
  /** Of a revocation or restoration: the cause of the grant it is about. */
  grantCause?: string;
  /** Of a revocation that finds less: what it was to take. */
  demanded?: number;
  lines: Partial<Record<LedgerAccount, number>>;
}

/** What movements came to: the causes that were moved now, the balance after them, and mails to be announced. */
interface Moved {
  causes: string[];
  balance: Balance;
  letterIds: LetterId[];
}

const toLineRows = (transferId: string, lines: Movement["lines"]) => {
  // Keys of `lines` are ledger accounts by type; `Object.entries` forgets that.
  const rows = Object.entries(lines).map(([account, credits]) => {
    return { transferId, account: account as LedgerAccount, credits };
  });
  const felt = rows.filter(({ credits }) => credits !== 0);
  // A movement of nothing is on the record too: that there was nothing left to take back.
  return felt.length > 0 ? felt : rows;
};

const sumOf = (movements: readonly Movement[], account: LedgerAccount): number =>
  movements.reduce((sum, movement) => sum + (movement.lines[account] ?? 0), 0);

/** Adds a change to the balance if no bucket would go below zero by it. */
const changeBalance = async (tx: Ctx, { userId, lowToldAt }: Balance, moved: readonly Movement[]): Promise<Balance> => {
  const buckets = {
    allowance: creditBalances.allowance,
    purchased: creditBalances.purchased,
    held: creditBalances.held,
  };
  const change = {
    allowance: sumOf(moved, "allowance"),
    purchased: sumOf(moved, "purchased"),
    held: sumOf(moved, "held"),
  };
  const [changed] = await tx.db
    .update(creditBalances)
    .set({
      allowance: sql`${buckets.allowance} + ${change.allowance}`,
      purchased: sql`${buckets.purchased} + ${change.purchased}`,
      held: sql`${buckets.held} + ${change.held}`,
      lowToldAt,
    })
    .where(
      and(
        eq(creditBalances.userId, userId),
        sql`${buckets.allowance} + ${change.allowance} >= 0`,
        sql`${buckets.purchased} + ${change.purchased} >= 0`,
        sql`${buckets.held} + ${change.held} >= 0`,
      ),
    )
    .returning();
  if (!changed) throw new AppError("internal", { cause: new Error("A movement would overdraw a bucket.") });
  return changed;
};

/** Writes the transfers whose causes are new. */
const writeTransfers = async (tx: Ctx, userId: UserId, movements: readonly Movement[]): Promise<Movement[]> => {
  const rows = movements.map(({ kind, cause, note, grantCause, demanded }) => {
    const told = { kind, cause, note: note ?? "", grantCause, demanded };
    return { id: tx.newId("transfer"), userId, ...told, createdAt: tx.now() };
  });
  const created = await tx.db
    .insert(creditTransfers)
    .values(rows)
    .onConflictDoNothing({ target: creditTransfers.cause })
    .returning({ id: creditTransfers.id, cause: creditTransfers.cause });
  const idByCause = new Map(created.map(({ id, cause }) => [cause, id]));
  const moved = movements.filter(({ cause }) => idByCause.has(cause));
  const lines = moved.flatMap((movement) => toLineRows(idByCause.get(movement.cause) ?? "", movement.lines));
  if (lines.length > 0) await tx.db.insert(creditLines).values(lines);
  return moved;
};

/**
 * The only writer of the ledger: transfers, their lines and the balance change together or not at all. Belongs into a
 * transaction, and `balance` is what `lockBalance` gave there.
 * A movement whose cause exists already is left out. Where credits become few by it, the mail about that is posted
 * with it, once until credits were given again (R-CRED-02).
 * @throws AppError `internal` when a bucket would go below zero.
 */
export const moveCredits = async (
  tx: Ctx,
  { balance, movements }: { balance: Balance; movements: readonly Movement[] },
): Promise<Moved> => {
  const moved = movements.length === 0 ? [] : await writeTransfers(tx, balance.userId, movements);
  if (moved.length === 0) return { causes: [], balance, letterIds: [] };
  const before = availableOf(balance);
  const after = before + sumOf(moved, "allowance") + sumOf(moved, "purchased");
  const kinds = moved.map(({ kind }) => kind);
  const verdict = judgeLowMail({ before, after, kinds }, balance.lowToldAt !== null);
  const lowToldAt = { tell: tx.now(), arm: null, leave: balance.lowToldAt }[verdict];
  const changed = await changeBalance(tx, { ...balance, lowToldAt }, moved);
  const letterIds = verdict === "tell" ? await tellLowCredits(tx, changed) : [];
  return { causes: moved.map(({ cause }) => cause), balance: changed, letterIds };
};

/**
 * Posts the mail about few credits in the transaction that made them few. Nobody is told whose account is deleted, or
 * who switched these mails off.
 */
const tellLowCredits = async (tx: Ctx, balance: Balance): Promise<LetterId[]> => {
  // Rows of this table hold the ids of users.
  const userId = balance.userId;
  const user = await findUser(tx, userId);
  if (!user || user.mutedMails.includes("credits_low")) return [];
  const unsubscribe = offerUnsubscribe(userId, ["credits_low"]);
  const availableCredits = availableOf(balance);
  const letter = { kind: "credits_low" as const, firstName: user.firstName, availableCredits, unsubscribe };
  return [await postLetter(tx, { userId, recipient: user.email, letter })];
};

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
