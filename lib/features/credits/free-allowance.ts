import "server-only";
import { and, eq, lt, ne, or } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { freeAllowanceClaims } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import { monthBefore } from "./policy.ts";

interface MonthOfUser {
  userId: UserId;
  /** Such as `2026-11`. */
  period: string;
}

/** Keyed, so that the Pinterest user ID can't be found by trying all of them. */
export const hashAccount = (ctx: Pick<Ctx, "settings">, pinterestUserId: string): string =>
  signText(ctx.settings.tokenSecret, `free-allowance:${pinterestUserId}`);

/** Sorted, so that concurrent claims of the same accounts wait for each other without a deadlock. */
const findAccountHashes = async (tx: Ctx, userId: UserId): Promise<string[]> => {
  const rows = await tx.db
    .select({ pinterestUserId: pinterestAccounts.pinterestUserId })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.userId, userId), ne(pinterestAccounts.status, "removed")));
  return rows.map(({ pinterestUserId }) => hashAccount(tx, pinterestUserId)).toSorted();
};

const hasClaim = async (tx: Ctx, { userId, period }: MonthOfUser): Promise<boolean> => {
  const isOwn = and(eq(freeAllowanceClaims.userId, userId), eq(freeAllowanceClaims.period, period));
  return (await tx.db.$count(freeAllowanceClaims, isOwn)) > 0;
};

/** A concurrent claim waits for this one. It passes to another user after a month in which its user got nothing. */
const claimAccount = async (tx: Ctx, accountHash: string, { userId, period }: MonthOfUser): Promise<boolean> => {
  const claim = { userId, period, claimedAt: tx.now() };
  const claimed = await tx.db
    .insert(freeAllowanceClaims)
    .values({ accountHash, ...claim })
    .onConflictDoUpdate({
      target: freeAllowanceClaims.accountHash,
      set: claim,
      setWhere: or(eq(freeAllowanceClaims.userId, userId), lt(freeAllowanceClaims.period, monthBefore(period))),
    })
    .returning({ accountHash: freeAllowanceClaims.accountHash });
  return claimed.length > 0;
};

/**
 * Claims the month's free allowance for one of the user's Pinterest accounts; requires the balance's lock (decision 30).
 * @returns false when all of them count for other users; true without an account
 */
export const claimFreeAllowance = async (tx: Ctx, month: MonthOfUser): Promise<boolean> => {
  const hashes = await findAccountHashes(tx, month.userId);
  if (hashes.length === 0 || (await hasClaim(tx, month))) return true;
  for (const accountHash of hashes) {
    if (await claimAccount(tx, accountHash, month)) return true;
  }
  return false;
};

/** The hashes stay until retention deletes them, without the user. */
export const anonymizeClaims = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  await ctx.db.update(freeAllowanceClaims).set({ userId: null }).where(eq(freeAllowanceClaims.userId, userId));
};
