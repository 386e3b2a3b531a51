import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { creditBalances, creditLines, creditTransfers } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";

type LedgerAccount = (typeof creditLines.$inferSelect)["account"];

/** One movement of credits. `lines` are signed and sum to zero; `cause` is unique for all time (R-SRV-01). */
export interface Movement {
  kind: (typeof creditTransfers.$inferSelect)["kind"];
  cause: string;
  note?: string;
  lines: Partial<Record<LedgerAccount, number>>;
}

const toLineRows = (transferId: string, lines: Movement["lines"]) =>
  Object.entries(lines).flatMap(([account, credits]) =>
    // Keys of `lines` are ledger accounts by type; `Object.entries` forgets that.
    credits === 0 ? [] : [{ transferId, account: account as LedgerAccount, credits }],
  );

const sumOf = (movements: readonly Movement[], account: LedgerAccount): number =>
  movements.reduce((sum, movement) => sum + (movement.lines[account] ?? 0), 0);

/** Adds a change to the balance if no bucket would go below zero by it. */
const changeBalance = async (tx: Ctx, userId: UserId, moved: readonly Movement[]): Promise<void> => {
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
  const changed = await tx.db
    .update(creditBalances)
    .set({
      allowance: sql`${buckets.allowance} + ${change.allowance}`,
      purchased: sql`${buckets.purchased} + ${change.purchased}`,
      held: sql`${buckets.held} + ${change.held}`,
    })
    .where(
      and(
        eq(creditBalances.userId, userId),
        sql`${buckets.allowance} + ${change.allowance} >= 0`,
        sql`${buckets.purchased} + ${change.purchased} >= 0`,
        sql`${buckets.held} + ${change.held} >= 0`,
      ),
    )
    .returning({ userId: creditBalances.userId });
  if (changed.length === 0) throw new AppError("internal", { cause: new Error("A movement would overdraw a bucket.") });
};

/**
 * The only writer of the ledger: transfers, their lines and the balance change together or not at all.
 * A movement whose cause exists already is left out; the causes that were moved now are returned.
 * @throws AppError `internal` when a bucket would go below zero.
 */
export const moveCredits = (ctx: Ctx, input: { userId: UserId; movements: readonly Movement[] }): Promise<string[]> =>
  inTransaction(ctx, async (tx) => {
    const { userId, movements } = input;
    if (movements.length === 0) return [];
    await lockBalance(tx, userId);
    const rows = movements.map(({ kind, cause, note }) => {
      return { id: tx.newId("transfer"), userId, kind, cause, note: note ?? "", createdAt: tx.now() };
    });
    const created = await tx.db
      .insert(creditTransfers)
      .values(rows)
      .onConflictDoNothing({ target: creditTransfers.cause })
      .returning({ id: creditTransfers.id, cause: creditTransfers.cause });
    const idByCause = new Map(created.map(({ id, cause }) => [cause, id]));
    const moved = movements.filter(({ cause }) => idByCause.has(cause));
    if (moved.length === 0) return [];
    const lines = moved.flatMap((movement) => toLineRows(idByCause.get(movement.cause) ?? "", movement.lines));
    if (lines.length > 0) await tx.db.insert(creditLines).values(lines);
    await changeBalance(tx, userId, moved);
    return moved.map(({ cause }) => cause);
  });
