import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { creditBalances, creditLines, type creditReservations, creditTransfers } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { queueEmail } from "#lib/features/email/delivery.ts";
import { unsubscribeOffer } from "#lib/features/email/rendering.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import {
  availableOf,
  decideLowEmail,
  deferredRevokeCause,
  isOfPeriod,
  type PurchasedLot,
  remainderOfLot,
} from "./policy.ts";
import {
  type Balance,
  findGrants,
  findReserved,
  findShortfalls,
  type GrantTransfer,
  type Shortfall,
  sumUsed,
} from "./queries.ts";

/** Every movement takes this lock first, so a user's movements cannot deadlock. Call it inside a transaction. */
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

/** `lines` are signed and sum to zero; `cause` is unique forever. */
export interface Movement {
  kind: (typeof creditTransfers.$inferSelect)["kind"];
  cause: string;
  note?: string;
  grantCause?: string;
  /** The full amount of a revocation that could not take everything. */
  demanded?: number;
  lines: Partial<Record<LedgerAccount, number>>;
}

interface MoveResult {
  causes: string[];
  balance: Balance;
  emailIds: EmailId[];
}

const toLineRows = (transferId: string, lines: Movement["lines"]) => {
  const rows = Object.entries(lines).map(([account, credits]) => {
    return { transferId, account: account as LedgerAccount, credits };
  });
  const nonZero = rows.filter(({ credits }) => credits !== 0);
  // Zero is recorded too: it shows that nothing was left to take back.
  return nonZero.length > 0 ? nonZero : rows;
};

const sumOf = (movements: readonly Movement[], account: LedgerAccount): number =>
  movements.reduce((sum, movement) => sum + (movement.lines[account] ?? 0), 0);

const changeBalance = async (
  tx: Ctx,
  { userId, lowNotifiedAt }: Balance,
  moved: readonly Movement[],
): Promise<Balance> => {
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
      lowNotifiedAt,
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

const writeTransfers = async (tx: Ctx, userId: UserId, movements: readonly Movement[]): Promise<Movement[]> => {
  const rows = movements.map(({ kind, cause, note, grantCause, demanded }) => {
    const fields = { kind, cause, note: note ?? "", grantCause, demanded };
    return { id: tx.newId("transfer"), userId, ...fields, createdAt: tx.now() };
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
 * The only writer of the ledger; existing causes are skipped. Call it in the transaction of `lockBalance`.
 * @throws AppError `internal` when a bucket would go below zero
 */
export const moveCredits = async (
  tx: Ctx,
  { balance, movements }: { balance: Balance; movements: readonly Movement[] },
): Promise<MoveResult> => {
  const moved = movements.length === 0 ? [] : await writeTransfers(tx, balance.userId, movements);
  if (moved.length === 0) return { causes: [], balance, emailIds: [] };
  const before = availableOf(balance);
  const after = before + sumOf(moved, "allowance") + sumOf(moved, "purchased");
  const kinds = moved.map(({ kind }) => kind);
  const decision = decideLowEmail({ before, after, kinds }, balance.lowNotifiedAt !== null);
  const lowNotifiedAt = { send: tx.now(), reset: null, keep: balance.lowNotifiedAt }[decision];
  const changed = await changeBalance(tx, { ...balance, lowNotifiedAt }, moved);
  const emailIds = decision === "send" ? await queueLowCreditsEmail(tx, changed) : [];
  if (decision === "send") await announceLowCredits(tx, changed, moved);
  return { causes: moved.map(({ cause }) => cause), balance: changed, emailIds };
};

const announceLowCredits = (tx: Ctx, balance: Balance, moved: readonly Movement[]): Promise<void> =>
  recordWebhookEvent(tx, {
    userId: balance.userId,
    type: "credits.low",
    subject: "credits",
    occasion: moved.at(-1)?.cause ?? "",
    data: () => ({ available_credits: availableOf(balance) }),
  });

/** Not for deleted accounts or users who turned this email off. */
const queueLowCreditsEmail = async (tx: Ctx, balance: Balance): Promise<EmailId[]> => {
  const userId = balance.userId;
  const user = await findUser(tx, userId);
  if (!user || user.mutedEmails.includes("credits_low")) return [];
  const unsubscribe = unsubscribeOffer(userId, ["credits_low"]);
  const availableCredits = availableOf(balance);
  const content = { kind: "credits_low" as const, firstName: user.firstName, availableCredits, unsubscribe };
  return [await queueEmail(tx, { userId, recipient: user.email, content })];
};

type Reservation = typeof creditReservations.$inferSelect;

interface ReturnedAllowance {
  number: number;
  period: string | null;
  credits: number;
}

const isOf = ({ cause }: Shortfall, grant: GrantTransfer): boolean =>
  grant.cause === cause || grant.cause.startsWith(deferredRevokeCause(cause));

const takenBy = (shortfall: Shortfall, grants: readonly GrantTransfer[]): number =>
  grants.reduce((sum, grant) => (isOf(shortfall, grant) ? sum - grant.allowance - grant.purchased : sum), 0);

const lotsOf = (grants: readonly GrantTransfer[]): PurchasedLot[] => {
  const lots = Map.groupBy(
    grants.filter(({ kind }) => kind !== "allowance"),
    ({ grantCause, cause }) => grantCause ?? cause,
  );
  return [...lots].map(([cause, own]) => ({ cause, credits: own.reduce((sum, { purchased }) => sum + purchased, 0) }));
};

/** What the refund would have taken if the released credits had not been reserved. Oldest credits are spent first. */
const deferredPackRevocation = (
  shortfall: Shortfall,
  earlier: readonly Shortfall[],
  grants: readonly GrantTransfer[],
  used: number,
): number => {
  const before = grants.filter(
    (grant) =>
      !isOf(shortfall, grant) && (grant.number < shortfall.number || earlier.some((item) => isOf(item, grant))),
  );
  const lots = lotsOf(before);
  const had = lots.reduce((sum, { credits }) => sum + credits, 0);
  const all = Math.min(shortfall.demanded, remainderOfLot(lots, had - used, shortfall.grantCause));
  return Math.max(0, all - takenBy(shortfall, grants));
};

/** Released allowance of that period that was reserved before the refund. */
const deferredPlanRevocation = (
  shortfall: Shortfall,
  grants: readonly GrantTransfer[],
  returned: ReturnedAllowance[],
): number => {
  let left = shortfall.demanded - takenBy(shortfall, grants);
  let late = 0;
  for (const item of returned) {
    if (item.number > shortfall.number || item.period === null || !isOfPeriod(shortfall.grantCause, item.period))
      continue;
    const taken = Math.min(left, item.credits);
    item.credits -= taken;
    left -= taken;
    late += taken;
  }
  return late;
};

const toMovement = (
  shortfall: Shortfall,
  grants: readonly GrantTransfer[],
  bucket: "allowance" | "purchased",
  late: number,
): Movement => {
  const times = grants.filter(({ cause }) => cause.startsWith(deferredRevokeCause(shortfall.cause))).length;
  const { note, grantCause } = shortfall;
  const lines = { [bucket]: -late, issued: late };
  return { kind: "revoke", cause: `${deferredRevokeCause(shortfall.cause)}${times + 1}`, note, grantCause, lines };
};

/**
 * Takes released credits that a refund would have taken, up to its amount. Requires the balance's lock; call it after
 * the reservations are marked as released and before they are moved.
 */
export const reclaimReturned = async (
  tx: Ctx,
  { balance, released }: { balance: Balance; released: readonly Reservation[] },
): Promise<Movement[]> => {
  const shortfalls = await findShortfalls(tx, balance.userId);
  if (shortfalls.length === 0) return [];
  // Allowance of an ended period is not returned, so nothing of it can be taken.
  const current = released.filter(({ period }) => period === null || period === balance.period);
  const returned = (await findReserved(tx, released)).map((item) =>
    item.period === null || item.period === balance.period ? item : { ...item, credits: 0 },
  );
  // Without this check every release would read the whole history.
  if (!shortfalls.some(({ number }) => returned.some((item) => item.number < number))) return [];
  const grants = await findGrants(tx, balance.userId);
  const left = {
    allowance: current.reduce((sum, { fromAllowance }) => sum + fromAllowance, balance.allowance),
    purchased: released.reduce((sum, { fromPurchased }) => sum + fromPurchased, balance.purchased),
  };
  const movements: Movement[] = [];
  for (const [at, shortfall] of shortfalls.entries()) {
    const bucket = shortfall.isPlan ? "allowance" : "purchased";
    const late = Math.min(
      left[bucket],
      shortfall.isPlan
        ? deferredPlanRevocation(shortfall, grants, returned)
        : deferredPackRevocation(
            shortfall,
            shortfalls.slice(0, at),
            grants,
            await sumUsed(tx, balance.userId, shortfall.number),
          ),
    );
    if (late <= 0) continue;
    left[bucket] -= late;
    const movement = toMovement(shortfall, grants, bucket, late);
    movements.push(movement);
    const { kind, cause, grantCause = null } = movement;
    // The next shortfall must count this movement.
    grants.push({
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
