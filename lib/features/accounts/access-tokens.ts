import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, formatDay, toIso } from "#lib/core/time.ts";
import { addDigestEntry } from "#lib/features/notifications/digests.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { REFRESH_LEASE_SECONDS, REFRESH_WAIT, RENEWAL_WARNING_MS, TEXTS } from "./constants.ts";
import { sealTokens } from "./oauth-connection.ts";
import { isDueForRefresh, toProviderError } from "./policy.ts";
import { findTokens, type OwnedAccountId, type StoredTokens } from "./queries.ts";

type CallOutcome = { kind: string; problem?: PinterestProblem };

const isTokenDead = (outcome: CallOutcome): boolean => outcome.problem?.kind === "token_dead";

const requireRenewed = async (ctx: Ctx, dead: StoredTokens, outcome: RefreshOutcome): Promise<StoredTokens> => {
  if (outcome.kind === "renewed") return outcome.tokens;
  if (outcome.kind === "later") throw toProviderError(outcome.problem);
  await markReconnectNeeded(ctx, dead);
  throw new AppError("reconnect_needed");
};

/** A failed early renewal does not matter while the current access token is still valid. */
const requireLiveTokens = async (ctx: Ctx<"pinterest">, accountId: AccountId): Promise<StoredTokens> => {
  const tokens = await findTokens(ctx, accountId);
  if (!tokens) throw new AppError("reconnect_needed");
  if (!isDueForRefresh(tokens.accessExpiresAt, ctx.now())) return tokens;
  const isExpired = tokens.accessExpiresAt <= ctx.now();
  const outcome = await refreshTokens(ctx, tokens, { waits: isExpired });
  return outcome.kind === "renewed" || isExpired ? requireRenewed(ctx, tokens, outcome) : tokens;
};

/**
 * Renews early, and once on `token_dead`. Callers must have checked ownership; if it throws, the call had no effect.
 * @throws AppError `reconnect_needed`, or `provider_unavailable` when a required renewal failed temporarily
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

/** `renewed`: by this worker or another. `dead`: the user must reconnect. */
type RefreshOutcome =
  | { kind: "renewed"; tokens: StoredTokens }
  | { kind: "dead" }
  | { kind: "later"; problem: PinterestProblem };

interface Lease {
  id: string;
  refreshTokenSealed: string;
}

const IN_FLIGHT: PinterestProblem = {
  kind: "unavailable",
  text: "Your Pinterest connection is being renewed. Please try again in a moment.",
};

const isStillStored = (tokens: StoredTokens) =>
  and(
    eq(pinterestAccounts.id, tokens.accountId),
    eq(pinterestAccounts.status, "connected"),
    eq(pinterestAccounts.accessTokenSealed, tokens.accessTokenSealed),
  );

/** One guarded update on the database's clock, so that workers agree. Null when it is taken. */
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

/** Compared after decryption, since key rotation reseals the same tokens. */
const findNewer = async (
  ctx: Ctx,
  stale: StoredTokens,
): Promise<RefreshOutcome | { kind: "same"; tokens: StoredTokens }> => {
  const stored = await findTokens(ctx, stale.accountId);
  if (!stored) return { kind: "dead" };
  const [now, before] = [stored, stale].map(({ accessTokenSealed }) => ctx.sealer.open(accessTokenSealed));
  return { kind: now === before ? "same" : "renewed", tokens: stored };
};

const findNewerOrDead = async (ctx: Ctx, stale: StoredTokens): Promise<RefreshOutcome> => {
  const newer = await findNewer(ctx, stale);
  return newer.kind === "same" ? { kind: "dead" } : newer;
};

/** Calls Pinterest outside any transaction and saves both tokens with one guarded update. */
const renew = async (ctx: Ctx<"pinterest">, stale: StoredTokens, lease: Lease): Promise<RefreshOutcome> => {
  ctx.log.count("pinterest_refreshes");
  const refreshToken = ctx.sealer.open(lease.refreshTokenSealed);
  const response = await ctx.pinterest.refreshTokens({ refreshToken });
  if (response.kind === "problem") {
    ctx.log.count(`pinterest_problem_${response.problem.kind}`);
    await releaseLease(ctx, stale.accountId, lease);
    if (response.problem.kind !== "token_dead") return { kind: "later", problem: response.problem };
    return findNewerOrDead(ctx, stale);
  }
  const columns = sealTokens(ctx, response.value);
  const saved = await ctx.db
    .update(pinterestAccounts)
    .set(columns)
    .where(isStillStored(stale))
    .returning({ id: pinterestAccounts.id });
  if (saved.length === 0) return findNewerOrDead(ctx, stale);
  return { kind: "renewed", tokens: { accountId: stale.accountId, ...columns } };
};

/** One worker at a time, because refresh tokens are single use. `waits`: for the result, else returns `later`. */
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

/** Tells the user, once, that the connection will end at that time; it keeps working until then. */
const warnOfExpiry = async (ctx: Ctx, accountId: AccountId, endsAt: Date): Promise<void> => {
  const { userId, username } = pinterestAccounts;
  const isConnected = and(eq(pinterestAccounts.id, accountId), eq(pinterestAccounts.status, "connected"));
  const [account] = await ctx.db.select({ userId, username }).from(pinterestAccounts).where(isConnected);
  if (!account) return;
  await addDigestEntry(ctx, {
    userId: account.userId,
    kind: "account_lost",
    about: accountId,
    occasion: `renewal-${endsAt.getTime()}`,
    subject: account.username,
    reason: TEXTS.renewalFailed(formatDay(toIso(endsAt))),
  });
};

/**
 * Renews an account's tokens before the refresh token expires. `lost`: Pinterest refused, and the user is told;
 * `later`: a temporary failure, which is reported when less than a week is left.
 */
export const renewConnection = async (
  ctx: Ctx<"pinterest">,
  accountId: AccountId,
): Promise<"renewed" | "lost" | "later"> => {
  const tokens = await findTokens(ctx, accountId);
  if (!tokens) return "lost";
  const outcome = await refreshTokens(ctx, tokens, { waits: false });
  if (outcome.kind === "renewed") return "renewed";
  if (outcome.kind === "dead") {
    if (tokens.accessExpiresAt > ctx.now()) await warnOfExpiry(ctx, accountId, tokens.accessExpiresAt);
    else await markReconnectNeeded(ctx, tokens);
    return "lost";
  }
  // Another worker's renewal may succeed, and no email would take the warning back.
  const isFailure = outcome.problem !== IN_FLIGHT;
  if (isFailure && tokens.refreshExpiresAt < addMs(ctx.now(), RENEWAL_WARNING_MS))
    await warnOfExpiry(ctx, accountId, tokens.refreshExpiresAt);
  return "later";
};

/** `busy`: tokens were being renewed, so run it again. */
interface ResealCounts {
  resealed: number;
  current: number;
  busy: number;
  /** Sealed with an unknown key. */
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

/** Not during a renewal, which compares the sealed text when it saves. */
const reseal = async (ctx: Ctx, { id, access, refresh }: Sealed): Promise<keyof ResealCounts> => {
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

/** For key rotation. Safe to repeat and while the product is up. @throws Error when a sealed text was tampered with */
export const resealTokens = async (ctx: Ctx): Promise<ResealCounts> => {
  const done: ResealCounts = { resealed: 0, current: 0, busy: 0, unreadable: 0 };
  let afterId = "";
  for (;;) {
    const batch = await findSealed(ctx, afterId);
    for (const account of batch) done[await reseal(ctx, account)] += 1;
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return done;
    afterId = last.id;
  }
};

/** Pins stay scheduled. Does nothing when the bad tokens have been replaced in the meantime. */
const markReconnectNeeded = async (ctx: Ctx, bad: StoredTokens): Promise<void> => {
  await inTransaction(ctx, async (tx) => {
    const [disconnected] = await tx.db
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
    if (!disconnected) return;
    await addDigestEntry(tx, {
      userId: disconnected.userId,
      kind: "account_lost",
      about: bad.accountId,
      occasion: tx.now().getTime(),
      subject: disconnected.username,
      reason: TEXTS.disconnected,
    });
    const { accountId } = bad;
    await recordWebhookEvent(tx, {
      userId: disconnected.userId,
      type: "account.lost",
      subject: accountId,
      occasion: tx.now().getTime(),
      data: () => ({ account_id: accountId, username: disconnected.username, reason: TEXTS.disconnected }),
    });
  });
  ctx.log.set({ account_id: bad.accountId, account_disconnected: true });
};

/** The row stays for its pins; a renewal in flight saves nothing. Call it in a transaction. */
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
