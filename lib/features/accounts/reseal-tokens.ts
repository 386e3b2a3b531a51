import "server-only";
import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";

/** Accounts by what became of their tokens. `busy`: they are being renewed, or were at that moment: try again. */
export interface Resealing {
  resealed: number;
  current: number;
  busy: number;
  /** Under a key that is not among ours. */
  unreadable: number;
}

const BATCH = 200;

interface Sealed {
  id: string;
  access: string;
  refresh: string;
}

const findSealed = async (ctx: Ctx, afterId: string): Promise<Sealed[]> => {
  const { id, accessTokenSealed: access, refreshTokenSealed: refresh } = pinterestAccounts;
  const rows = await ctx.db
    .select({ id, access, refresh })
    .from(pinterestAccounts)
    .where(and(gt(id, afterId), isNotNull(access), isNotNull(refresh)))
    .orderBy(asc(id))
    .limit(BATCH);
  return rows.flatMap(({ access, refresh, ...row }) => (access && refresh ? [{ ...row, access, refresh }] : []));
};

/**
 * Replaces both sealed texts if they are still those we opened and nobody renews them: whoever renews keeps what is
 * stored as the mark of what they began with, and would throw the new tokens away.
 */
const reseal = async (ctx: Ctx, { id, access, refresh }: Sealed): Promise<keyof Resealing> => {
  const { sealer } = ctx;
  if ([access, refresh].every((text) => sealer.isCurrent(text))) return "current";
  if (![access, refresh].every((text) => sealer.canOpen(text))) return "unreadable";
  const saved = await ctx.db
    .update(pinterestAccounts)
    .set({
      accessTokenSealed: sealer.seal(sealer.open(access)),
      refreshTokenSealed: sealer.seal(sealer.open(refresh)),
    })
    .where(
      and(
        eq(pinterestAccounts.id, id),
        eq(pinterestAccounts.accessTokenSealed, access),
        eq(pinterestAccounts.refreshTokenSealed, refresh),
        or(isNull(pinterestAccounts.refreshLeaseUntil), lt(pinterestAccounts.refreshLeaseUntil, sql`now()`)),
      ),
    )
    .returning({ id: pinterestAccounts.id });
  return saved.length > 0 ? "resealed" : "busy";
};

/**
 * Seals every stored token anew under the first key (R-SRV-05, key rotation), account by account, in batches. Running
 * it again goes on where it stopped; beside a running product it does no harm.
 * @throws Error when a sealed text was altered.
 */
export const resealTokens = async (ctx: Ctx): Promise<Resealing> => {
  const done: Resealing = { resealed: 0, current: 0, busy: 0, unreadable: 0 };
  let afterId = "";
  for (;;) {
    const batch = await findSealed(ctx, afterId);
    for (const account of batch) done[await reseal(ctx, account)] += 1;
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return done;
    afterId = last.id;
  }
};
