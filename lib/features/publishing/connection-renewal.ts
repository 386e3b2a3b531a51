import "server-only";
import { and, asc, eq, exists, gt, lte, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { renewConnection } from "#lib/features/accounts/access-tokens.ts";
import { RENEWAL_AHEAD_MS } from "#lib/features/accounts/constants.ts";
import { RENEWAL_BATCH, SWEEP_MAX_MS } from "./constants.ts";

const findExpiring = async (ctx: Ctx, afterId: string): Promise<AccountId[]> => {
  // A literal, to match the partial index on scheduled pins.
  const hasScheduledPins = ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.accountId, pinterestAccounts.id), eq(pins.status, sql`'scheduled'`)));
  const rows = await ctx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(
      and(
        eq(pinterestAccounts.status, sql`'connected'`),
        lte(pinterestAccounts.refreshExpiresAt, addMs(await databaseTime(ctx), RENEWAL_AHEAD_MS)),
        gt(pinterestAccounts.id, afterId),
        exists(hasScheduledPins),
      ),
    )
    .orderBy(asc(pinterestAccounts.id))
    .limit(RENEWAL_BATCH);
  return rows.map(({ id }) => id as AccountId);
};

/**
 * Renews one batch of accounts, so that their pins publish even if nothing else uses the account for months.
 * @returns the id to continue after, null when there are no more, and how many accounts had which result
 */
export const renewConnections = async (ctx: Ctx<"pinterest">, { afterId }: { afterId: string }) => {
  const counts = { renewed: 0, lost: 0, later: 0 };
  const expiring = await findExpiring(ctx, afterId);
  const startedMs = performance.now();
  for (const accountId of expiring) {
    if (ctx.stopping.aborted || performance.now() - startedMs > SWEEP_MAX_MS) return { ...counts, afterId };
    counts[await renewConnection(ctx, accountId)] += 1;
    afterId = accountId;
  }
  ctx.log.set({ connections_renewed: counts.renewed, connections_lost: counts.lost, renewals_failed: counts.later });
  return { ...counts, afterId: expiring.length < RENEWAL_BATCH ? null : afterId };
};
