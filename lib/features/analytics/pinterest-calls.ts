import "server-only";
import { and, eq, isNull, lt, min, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { resultGathers } from "#db/schema/analytics.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type {
  CallsLeft,
  DaySpan,
  FiguresAnswer,
  PinterestDay,
  PinterestPinFigures,
  PinterestProblem,
} from "#lib/integrations/pinterest/port.ts";
import { CALL_PACE_MS, CALLS_KEPT, type CallPurpose, LIMIT_PAUSE_MS } from "./constants.ts";
import { findDue } from "./gathering-queue.ts";
import { type Found, storeFigures, toTotals } from "./stored-figures.ts";

/**
 * `at`: when, by the database's clock. `afterMs`: when to ask again; for gathering, when all of its calls are free.
 * `isPace`: only the calls of this minute are used up; else Pinterest asked for the pause.
 */
type CallPlace = { kind: "taken"; at: Date } | { kind: "later"; afterMs: number; isPace: boolean };

const { windowAt, windowCalls, pausedUntil } = resultGathers;

/** Calls forgotten since `windowAt`, and those that still count. A clock set back forgets nothing. */
const forgotten = sql`greatest(0, floor(extract(epoch from now() - ${windowAt}) * 1000 / ${CALL_PACE_MS}))`;
const counting = sql`coalesce(greatest(0, ${windowCalls} - ${forgotten}), 0)`;

const tellWait = async (ctx: Ctx, accountId: AccountId, purpose: CallPurpose): Promise<CallPlace> => {
  const [row] = await ctx.db
    .select({ counting: sql<number>`${counting}::int`, pausedUntil })
    .from(resultGathers)
    .where(eq(resultGathers.accountId, accountId));
  const room = purpose === "gathering" ? 1 : CALLS_KEPT.screen;
  const paceMs = Math.max(1, (row?.counting ?? 0) - room + 1) * CALL_PACE_MS;
  const pauseMs = row?.pausedUntil ? msUntil(row.pausedUntil, await databaseTime(ctx)) : 0;
  return { kind: "later", afterMs: Math.max(paceMs, pauseMs), isPace: pauseMs <= 0 };
};

/**
 * Whether a call for an account's figures may be made now, counted before it is made: all processes together
 * stay below Pinterest's 60 a minute, and gathering leaves screens their share. Whoever dies in between has counted a
 * call too much. The caller has proven the right to use the account, or is a job.
 */
export const takeCall = async (
  ctx: Ctx,
  { accountId: asking, purpose }: { accountId: AccountId; purpose: CallPurpose },
): Promise<CallPlace> => {
  const accountId = await findCounter(ctx, asking);
  const [taken] = await ctx.db
    .insert(resultGathers)
    .values({ accountId, askedAt: sql`now()`, windowAt: sql`now()`, windowCalls: 1 })
    .onConflictDoUpdate({
      target: resultGathers.accountId,
      set: {
        windowCalls: sql`${counting} + 1`,
        windowAt: sql`case when ${counting} = 0 then now()
          else ${windowAt} + make_interval(secs => ${forgotten} * ${CALL_PACE_MS / 1_000}::float8) end`,
      },
      setWhere: sql`${counting} < ${CALLS_KEPT[purpose]} and coalesce(${pausedUntil} <= now(), true)`,
    })
    .returning({ at: sql`now()`.mapWith(windowAt) });
  return taken ? { kind: "taken", at: taken.at } : tellWait(ctx, accountId, purpose);
};

/** Makes no call for an account's figures for a while, as Pinterest asked; a longer pause that stands is kept. */
const pauseCalls = async (ctx: Ctx, { accountId, forMs }: { accountId: AccountId; forMs: number }): Promise<void> => {
  const { pausedUntil } = resultGathers;
  const until = addMs(await databaseTime(ctx), forMs);
  await ctx.db
    .update(resultGathers)
    .set({ pausedUntil: until })
    .where(
      and(
        eq(resultGathers.accountId, await findCounter(ctx, accountId)),
        or(isNull(pausedUntil), lt(pausedUntil, until)),
      ),
    );
};

const same = alias(pinterestAccounts, "same");

/**
 * The account whose row counts an account's calls. Pinterest counts by its own user and our app, and two of our users
 * may have connected the same one: the first of these accounts counts for all, also after it was removed here.
 */
const findCounter = async (ctx: Ctx, accountId: AccountId): Promise<AccountId> => {
  const [row] = await ctx.db
    .select({ id: min(same.id) })
    .from(pinterestAccounts)
    .innerJoin(same, eq(same.pinterestUserId, pinterestAccounts.pinterestUserId))
    .where(eq(pinterestAccounts.id, accountId));
  return isId("account", row?.id) ? row.id : accountId;
};

/** Pinterest's answer, and when it was asked; or `later`: the account's calls of this minute are used up. */
type CallResult<T> = (FiguresAnswer<T> & { askedAt: Date }) | (CallPlace & { kind: "later" });

/**
 * Makes one call for an account's figures, when the limits allow it: the one way to them, for screens that read live
 * and for gathering. A refusal for too many calls stops all calls of the account until Pinterest allows them again.
 * The caller has proven the right to use the account, or is a job.
 * @throws AppError `reconnect_needed`, `provider_unavailable`, as `withAccessToken` does.
 */
export const callPinterest = async <T>(
  ctx: Ctx<"pinterest">,
  { accountId, purpose }: { accountId: AccountId; purpose: CallPurpose },
  call: (accessToken: string) => Promise<FiguresAnswer<T>>,
): Promise<CallResult<T>> => {
  // With a token that turns out dead the call is made twice, and both count.
  const answer = await withAccessToken(ctx, accountId, async (accessToken): Promise<CallResult<T>> => {
    const place = await takeCall(ctx, { accountId, purpose });
    if (place.kind === "later") return place;
    ctx.log.count("results_calls");
    return { ...(await call(accessToken)), askedAt: place.at };
  });
  if (answer.kind === "problem" && answer.problem.kind === "rate_limited") {
    const seconds = answer.problem.retryAfterSeconds;
    await pauseCalls(ctx, { accountId, forMs: seconds ? seconds * SECOND_MS : LIMIT_PAUSE_MS });
  }
  return answer;
};

/**
 * How reading a group of pins in one call ended. `none`: nothing of it is due any more; `read`: stored, but for those
 * that were left out of the answer; `later`: no call was made; `lost`: the account needs its owner.
 */
export type GroupEnd =
  | { kind: "read"; stored: number; leftOut: PinId[]; callsLeft: CallsLeft | null }
  | { kind: "none" }
  | { kind: "later"; afterMs: number; isPace: boolean }
  | { kind: "lost"; text: string }
  | { kind: "problem"; problem: PinterestProblem; askedAt: Date | null };

type Days = PinterestDay<PinterestPinFigures>[];

interface Group {
  accountId: AccountId;
  pinIds: readonly PinId[];
  span: DaySpan;
  /** When the run was asked for. */
  since: Date;
}

/** One pin by the call for one, more by the call for many; the answer by Pinterest's ids either way. */
const askFor = async (
  ctx: Ctx<"pinterest">,
  token: string,
  [first, ...others]: readonly [string, ...string[]],
  span: DaySpan,
): Promise<FiguresAnswer<Map<string, Days>>> => {
  if (others.length > 0) return ctx.pinterest.readPinsAnalytics(token, [first, ...others], span);
  const answer = await ctx.pinterest.readPinAnalytics(token, first, span);
  return answer.kind === "problem" ? answer : { ...answer, value: new Map([[first, answer.value]]) };
};

/** What stopped the call before Pinterest was asked, or made Pinterest refuse the account's tokens. */
const toEnd = (thrown: unknown): GroupEnd => {
  if (!(thrown instanceof AppError)) throw thrown;
  if (thrown.code === "reconnect_needed") return { kind: "lost", text: thrown.message };
  if (thrown.code !== "provider_unavailable") throw thrown;
  const { retryAfterSeconds } = thrown;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: "problem", problem: { kind: "unavailable", text: thrown.message, ...wait }, askedAt: null };
};

/** Reads the figures of those of some pins of an account that are still due, in one call, and stores them. */
export const readGroup = async (ctx: Ctx<"pinterest">, { span, ...group }: Group): Promise<GroupEnd> => {
  const { accountId } = group;
  const known = await findDue(ctx, group);
  const [first, ...others] = known.map(({ pinterestPinId }) => pinterestPinId);
  if (first === undefined) return { kind: "none" };
  let result: Awaited<ReturnType<typeof callPinterest<Map<string, Days>>>>;
  try {
    result = await callPinterest(ctx, { accountId, purpose: "gathering" }, (token) =>
      askFor(ctx, token, [first, ...others], span),
    );
  } catch (error) {
    return toEnd(error);
  }
  if (result.kind !== "ok") return result;
  const { value, callsLeft, askedAt } = result;
  const found: Found[] = [];
  const leftOut: PinId[] = [];
  for (const { id, pinterestPinId } of known) {
    const days = value.get(pinterestPinId);
    if (days) found.push({ pinId: id, state: "ready", ...toTotals(days, span.firstDay) });
    else leftOut.push(id);
  }
  const stored = await storeFigures(ctx, { accountId, askedAt, found });
  return { kind: "read", stored, leftOut, callsLeft };
};
