import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addEntry } from "#lib/features/notifications/digests.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { REFRESH_LEASE_SECONDS, REFRESH_WAIT, TEXTS } from "./constants.ts";
import { sealTokens } from "./oauth-connection.ts";
import { isDueForRefresh, toProviderError } from "./policy.ts";
import { findTokens, type OwnedAccountId, type StoredTokens } from "./queries.ts";

/** Any outcome of a call to Pinterest: those that went wrong carry a problem. */
type CallOutcome = { kind: string; problem?: PinterestProblem };

const isTokenDead = (outcome: CallOutcome): boolean => outcome.problem?.kind === "token_dead";

/** The account's tokens when they were renewed; what else happened ends the call. */
const requireRenewed = async (ctx: Ctx, dead: StoredTokens, outcome: RefreshOutcome): Promise<StoredTokens> => {
  if (outcome.kind === "renewed") return outcome.tokens;
  if (outcome.kind === "later") throw toProviderError(outcome.problem);
  await markReconnectNeeded(ctx, dead);
  throw new AppError("reconnect_needed");
};

/** Tokens fit for use. While the present access token lives, nothing that happens to its renewal disconnects. */
const requireLiveTokens = async (ctx: Ctx<"pinterest">, accountId: AccountId): Promise<StoredTokens> => {
  const tokens = await findTokens(ctx, accountId);
  if (!tokens) throw new AppError("reconnect_needed");
  if (!isDueForRefresh(tokens.accessExpiresAt, ctx.now())) return tokens;
  const isExpired = tokens.accessExpiresAt <= ctx.now();
  const outcome = await refreshTokens(ctx, tokens, { waits: isExpired });
  return outcome.kind === "renewed" || isExpired ? requireRenewed(ctx, tokens, outcome) : tokens;
};

/**
 * Makes a call to Pinterest with a live access token (R-SRV-05): renews it early, and once more when the call reports
 * `token_dead`, then repeats the call once. An outcome with `missing_scope` is handed on, and marks the account too:
 * only a new consent helps. The caller has proven the right to use the account, or is a job.
 * When this throws, the call had no effect: it was not made, or Pinterest refused the token.
 * @throws AppError `reconnect_needed` (the account is marked, or was not connected), `provider_unavailable` when a
 * needed renewal failed in passing.
 */
export const withAccessToken = async <R extends CallOutcome>(
  ctx: Ctx<"pinterest">,
  accountId: AccountId,
  call: (accessToken: string) => Promise<R>,
): Promise<R> => {
  const use = async (tokens: StoredTokens): Promise<R> => {
    const outcome = await call(ctx.sealer.open(tokens.accessTokenSealed));
    if (outcome.problem) ctx.log.count(`pinterest_problem_${outcome.problem.kind}`);
    if (outcome.problem?.kind === "missing_scope") await markReconnectNeeded(ctx, tokens);
    return outcome;
  };
  const tokens = await requireLiveTokens(ctx, accountId);
  const first = await use(tokens);
  if (!isTokenDead(first)) return first;
  const renewed = await requireRenewed(ctx, tokens, await refreshTokens(ctx, tokens, { waits: true }));
  const second = await use(renewed);
  if (!isTokenDead(second)) return second;
  await markReconnectNeeded(ctx, renewed);
  throw new AppError("reconnect_needed");
};

/** `renewed`: newer tokens are stored, by us or by another worker. `dead`: only a new consent helps. */
type RefreshOutcome =
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
const refreshTokens = async (
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

/** Accounts by what became of their tokens. `busy`: they are being renewed, or were at that moment: try again. */
interface Resealing {
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

/**
 * Marks an account whose tokens Pinterest no longer takes, or that lack a permission; its pins stay scheduled (BRIEF
 * §3), and its owner is told by mail. Tokens that were replaced in the meantime are not blamed: the mark is set only
 * while the bad ones are stored.
 */
const markReconnectNeeded = async (ctx: Ctx, bad: StoredTokens): Promise<void> => {
  await inTransaction(ctx, async (tx) => {
    const [lost] = await tx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed", refreshLease: null, refreshLeaseUntil: null })
      .where(
        and(
          eq(pinterestAccounts.id, bad.accountId),
          eq(pinterestAccounts.status, "connected"),
          eq(pinterestAccounts.accessTokenSealed, bad.accessTokenSealed),
        ),
      )
      .returning({ userId: pinterestAccounts.userId, username: pinterestAccounts.username });
    if (!lost) return;
    await addEntry(tx, {
      // Rows of this table hold the ids of users.
      userId: lost.userId,
      kind: "account_lost",
      about: bad.accountId,
      occasion: tx.now().getTime(),
      subject: lost.username,
      reason: TEXTS.lost,
    });
  });
  ctx.log.set({ account_id: bad.accountId, account_disconnected: true });
};

/**
 * Disconnects an account: its tokens are erased and it counts as removed. The row stays, so that a later
 * connection finds its pins. A renewal in flight finds other tokens than it left, and saves nothing.
 * Runs inside the transaction of whoever removes the account.
 */
export const eraseTokens = async (ctx: Ctx, input: { accountId: OwnedAccountId }): Promise<void> => {
  await ctx.db
    .update(pinterestAccounts)
    .set({
      status: "removed",
      removedAt: ctx.now(),
      accessTokenSealed: null,
      refreshTokenSealed: null,
      accessExpiresAt: null,
      refreshExpiresAt: null,
      scopes: "",
      refreshLease: null,
      refreshLeaseUntil: null,
    })
    .where(and(eq(pinterestAccounts.id, input.accountId), ne(pinterestAccounts.status, "removed")));
};
