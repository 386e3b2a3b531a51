import "server-only";
import { and, eq, isNull, lt, min, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs } from "#db/schema/analytics.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type {
  CallsLeft,
  DaySpan,
  MetricsAnswer,
  PinterestDay,
  PinterestPinMetrics,
  PinterestProblem,
} from "#lib/integrations/pinterest/port.ts";
import { CALL_INTERVAL_MS, CALL_LIMITS, type CallPurpose, LIMIT_PAUSE_MS } from "./constants.ts";
import { type Found, storeMetrics, toTotals } from "./stored-metrics.ts";
import { findDue } from "./sync-queue.ts";

/** `afterMs`: when to try again. `isRateLimit`: our own rate limit, not a pause that Pinterest requested. */
type CallPermit = { kind: "taken"; at: Date } | { kind: "later"; afterMs: number; isRateLimit: boolean };

const { windowAt, windowCalls, pausedUntil } = analyticsSyncs;

/** A clock set back expires no calls. */
const expired = sql`greatest(0, floor(extract(epoch from now() - ${windowAt}) * 1000 / ${CALL_INTERVAL_MS}))`;
const counting = sql`coalesce(greatest(0, ${windowCalls} - ${expired}), 0)`;

const describeWait = async (ctx: Ctx, accountId: AccountId, purpose: CallPurpose): Promise<CallPermit> => {
  const [row] = await ctx.db
    .select({ counting: sql<number>`${counting}::int`, pausedUntil })
    .from(analyticsSyncs)
    .where(eq(analyticsSyncs.accountId, accountId));
  const limit = purpose === "sync" ? 1 : CALL_LIMITS.screen;
  const paceMs = Math.max(1, (row?.counting ?? 0) - limit + 1) * CALL_INTERVAL_MS;
  const pauseMs = row?.pausedUntil ? msUntil(row.pausedUntil, await databaseTime(ctx)) : 0;
  return { kind: "later", afterMs: Math.max(paceMs, pauseMs), isRateLimit: pauseMs <= 0 };
};

/** Counts a metrics call before it is made, so that all processes together stay within the limits. */
export const acquireCall = async (
  ctx: Ctx,
  { accountId: callerId, purpose }: { accountId: AccountId; purpose: CallPurpose },
): Promise<CallPermit> => {
  const accountId = await findCountingAccount(ctx, callerId);
  const [taken] = await ctx.db
    .insert(analyticsSyncs)
    .values({ accountId, requestedAt: sql`now()`, windowAt: sql`now()`, windowCalls: 1 })
    .onConflictDoUpdate({
      target: analyticsSyncs.accountId,
      set: {
        windowCalls: sql`${counting} + 1`,
        windowAt: sql`case when ${counting} = 0 then now()
          else ${windowAt} + make_interval(secs => ${expired} * ${CALL_INTERVAL_MS / 1_000}::float8) end`,
      },
      setWhere: sql`${counting} < ${CALL_LIMITS[purpose]} and coalesce(${pausedUntil} <= now(), true)`,
    })
    .returning({ at: sql`now()`.mapWith(windowAt) });
  return taken ? { kind: "taken", at: taken.at } : describeWait(ctx, accountId, purpose);
};

const pauseCalls = async (ctx: Ctx, { accountId, forMs }: { accountId: AccountId; forMs: number }): Promise<void> => {
  const { pausedUntil } = analyticsSyncs;
  const until = addMs(await databaseTime(ctx), forMs);
  await ctx.db
    .update(analyticsSyncs)
    .set({ pausedUntil: until })
    .where(
      and(
        eq(analyticsSyncs.accountId, await findCountingAccount(ctx, accountId)),
        or(isNull(pausedUntil), lt(pausedUntil, until)),
      ),
    );
};

const same = alias(pinterestAccounts, "same");

/** Users who connected the same Pinterest account share one limit, which is counted in the row of the first account. */
const findCountingAccount = async (ctx: Ctx, accountId: AccountId): Promise<AccountId> => {
  const [row] = await ctx.db
    .select({ id: min(same.id) })
    .from(pinterestAccounts)
    .innerJoin(same, eq(same.pinterestUserId, pinterestAccounts.pinterestUserId))
    .where(eq(pinterestAccounts.id, accountId));
  return isId("account", row?.id) ? row.id : accountId;
};

type CallResult<T> = (MetricsAnswer<T> & { requestedAt: Date }) | (CallPermit & { kind: "later" });

/** A rate-limit response pauses the account's calls. @throws AppError `reconnect_needed`, `provider_unavailable` */
export const callPinterest = async <T>(
  ctx: Ctx<"pinterest">,
  { accountId, purpose }: { accountId: AccountId; purpose: CallPurpose },
  call: (accessToken: string) => Promise<MetricsAnswer<T>>,
): Promise<CallResult<T>> => {
  // An expired token repeats the call, and both calls count.
  const answer = await withAccessToken(ctx, accountId, async (accessToken): Promise<CallResult<T>> => {
    const place = await acquireCall(ctx, { accountId, purpose });
    if (place.kind === "later") return place;
    ctx.log.count("analytics_calls");
    return { ...(await call(accessToken)), requestedAt: place.at };
  });
  if (answer.kind === "problem" && answer.problem.kind === "rate_limited") {
    const seconds = answer.problem.retryAfterSeconds;
    await pauseCalls(ctx, { accountId, forMs: seconds ? seconds * SECOND_MS : LIMIT_PAUSE_MS });
  }
  return answer;
};

/** `none`: no pin is due. `leftOut`: pins missing from the answer. `later`: no call was made. `lost`: reconnect. */
export type GroupResult =
  | { kind: "read"; stored: number; leftOut: PinId[]; callsLeft: CallsLeft | null }
  | { kind: "none" }
  | { kind: "later"; afterMs: number; isRateLimit: boolean }
  | { kind: "lost"; text: string }
  | { kind: "problem"; problem: PinterestProblem; requestedAt: Date | null };

type Days = PinterestDay<PinterestPinMetrics>[];

interface Group {
  accountId: AccountId;
  pinIds: readonly PinId[];
  span: DaySpan;
  since: Date;
}

const fetchMetrics = async (
  ctx: Ctx<"pinterest">,
  token: string,
  [first, ...others]: readonly [string, ...string[]],
  span: DaySpan,
): Promise<MetricsAnswer<Map<string, Days>>> => {
  if (others.length > 0) return ctx.pinterest.readPinsAnalytics(token, [first, ...others], span);
  const answer = await ctx.pinterest.readPinAnalytics(token, first, span);
  return answer.kind === "problem" ? answer : { ...answer, value: new Map([[first, answer.value]]) };
};

const toEnd = (thrown: unknown): GroupResult => {
  if (!(thrown instanceof AppError)) throw thrown;
  if (thrown.code === "reconnect_needed") return { kind: "lost", text: thrown.message };
  if (thrown.code !== "provider_unavailable") throw thrown;
  const { retryAfterSeconds } = thrown;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: "problem", problem: { kind: "unavailable", text: thrown.message, ...wait }, requestedAt: null };
};

export const readGroup = async (ctx: Ctx<"pinterest">, { span, ...group }: Group): Promise<GroupResult> => {
  const { accountId } = group;
  const known = await findDue(ctx, group);
  const [first, ...others] = known.map(({ pinterestPinId }) => pinterestPinId);
  if (first === undefined) return { kind: "none" };
  let result: Awaited<ReturnType<typeof callPinterest<Map<string, Days>>>>;
  try {
    result = await callPinterest(ctx, { accountId, purpose: "sync" }, (token) =>
      fetchMetrics(ctx, token, [first, ...others], span),
    );
  } catch (error) {
    return toEnd(error);
  }
  if (result.kind !== "ok") return result;
  const { value, callsLeft, requestedAt } = result;
  const found: Found[] = [];
  const leftOut: PinId[] = [];
  for (const { id, pinterestPinId } of known) {
    const days = value.get(pinterestPinId);
    if (days) found.push({ pinId: id, state: "ready", ...toTotals(days, span.firstDay) });
    else leftOut.push(id);
  }
  const stored = await storeMetrics(ctx, { accountId, requestedAt, found });
  return { kind: "read", stored, leftOut, callsLeft };
};
