import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { creditBalances, creditLines, creditTransfers } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { availableOf, judgeLowMail } from "./policy.ts";
import type { Balance } from "./queries.ts";
import { tellLowCredits } from "./tell-low-credits.ts";

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
export interface Moved {
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
const writeTransfers = async (tx: Ctx, userId: string, movements: readonly Movement[]): Promise<Movement[]> => {
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
