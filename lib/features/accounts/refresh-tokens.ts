import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken } from "#lib/core/digest.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { REFRESH_LEASE_SECONDS, REFRESH_WAIT } from "./constants.ts";
import { findTokens, type StoredTokens } from "./queries.ts";
import { sealTokens } from "./seal-tokens.ts";

/** `renewed`: newer tokens are stored, by us or by another worker. `dead`: only a new consent helps. */
export type RefreshOutcome =
  | { kind: "renewed"; tokens: StoredTokens }
  | { kind: "dead" }
  | { kind: "later"; problem: PinterestProblem };

interface Lease {
  id: string;
  refreshTokenSealed: string;
}

const IN_FLIGHT: PinterestProblem = { kind: "unavailable", text: "The connection to Pinterest is being renewed." };

const isStillStored = (tokens: StoredTokens) =>
  and(
    eq(pinterestAccounts.id, tokens.accountId),
    eq(pinterestAccounts.status, "connected"),
    eq(pinterestAccounts.accessTokenSealed, tokens.accessTokenSealed),
  );

/** One guarded update takes the row's lock for a moment; the database's clock decides, so skewed workers agree. */
const takeLease = async (ctx: Ctx, stale: StoredTokens): Promise<Lease | null> => {
  const id = randomToken(16);
  const [row] = await ctx.db
    .update(pinterestAccounts)
    .set({ refreshLease: id, refreshLeaseUntil: sql`now() + make_interval(secs => ${REFRESH_LEASE_SECONDS})` })
    .where(
      and(
        isStillStored(stale),
        or(isNull(pinterestAccounts.refreshLeaseUntil), lt(pinterestAccounts.refreshLeaseUntil, sql`now()`)),
      ),
    )
    .returning({ refreshTokenSealed: pinterestAccounts.refreshTokenSealed });
  return row?.refreshTokenSealed ? { id, refreshTokenSealed: row.refreshTokenSealed } : null;
};

const releaseLease = async (ctx: Ctx, accountId: string, lease: Lease): Promise<void> => {
  await ctx.db
    .update(pinterestAccounts)
    .set({ refreshLease: null, refreshLeaseUntil: null })
    .where(and(eq(pinterestAccounts.id, accountId), eq(pinterestAccounts.refreshLease, lease.id)));
};

/** What is stored now: other tokens than we started from, or the same, perhaps sealed anew by a change of keys. */
const findNewer = async (
  ctx: Ctx,
  stale: StoredTokens,
): Promise<RefreshOutcome | { kind: "same"; tokens: StoredTokens }> => {
  const stored = await findTokens(ctx, stale.accountId);
  if (!stored) return { kind: "dead" };
  const [now, before] = [stored, stale].map(({ accessTokenSealed }) => ctx.sealer.open(accessTokenSealed));
  return { kind: now === before ? "same" : "renewed", tokens: stored };
};

/** The same, where only other tokens help. */
const findNewerOrDead = async (ctx: Ctx, stale: StoredTokens): Promise<RefreshOutcome> => {
  const newer = await findNewer(ctx, stale);
  return newer.kind === "same" ? { kind: "dead" } : newer;
};

/** The call itself, outside any transaction; both new tokens are saved by one guarded update. */
const renew = async (ctx: Ctx<"pinterest">, stale: StoredTokens, lease: Lease): Promise<RefreshOutcome> => {
  ctx.log.count("pinterest_refreshes");
  const refreshToken = ctx.sealer.open(lease.refreshTokenSealed);
  const answer = await ctx.pinterest.refreshTokens({ refreshToken });
  if (answer.kind === "problem") {
    ctx.log.count(`pinterest_problem_${answer.problem.kind}`);
    await releaseLease(ctx, stale.accountId, lease);
    if (answer.problem.kind !== "token_dead") return { kind: "later", problem: answer.problem };
    return findNewerOrDead(ctx, stale);
  }
  const columns = sealTokens(ctx, answer.value);
  const saved = await ctx.db
    .update(pinterestAccounts)
    .set(columns)
    .where(isStillStored(stale))
    .returning({ id: pinterestAccounts.id });
  if (saved.length === 0) return findNewerOrDead(ctx, stale);
  return { kind: "renewed", tokens: { accountId: stale.accountId, ...columns } };
};

/**
 * Renews an account's tokens, at most once at a time over all workers: a lease on the account's row lets one of them
 * call, because Pinterest's refresh tokens die by being used (BRIEF §1.5). The others take what that one stored;
 * with `waits` they wait for it, without they answer `later` at once. Marks nothing: what a dead refresh token means
 * depends on whether the access token still lives, which the caller knows.
 */
export const refreshTokens = async (
  ctx: Ctx<"pinterest">,
  stale: StoredTokens,
  options: { waits: boolean },
): Promise<RefreshOutcome> => {
  let known = stale;
  const attempts = options.waits ? Math.ceil(REFRESH_WAIT.atMostMs / REFRESH_WAIT.everyMs) : 1;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (attempt > 0) await delay(REFRESH_WAIT.everyMs);
    const lease = await takeLease(ctx, known);
    if (lease) return renew(ctx, known, lease);
    const newer = await findNewer(ctx, known);
    if (newer.kind !== "same") return newer;
    known = newer.tokens;
  }
  return { kind: "later", problem: IN_FLIGHT };
};
