import "server-only";
import { eq, sql } from "drizzle-orm";
import { resultGathers } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { msUntil } from "#lib/core/time.ts";
import { CALL_PACE_MS, CALLS_KEPT, type CallPurpose } from "./constants.ts";
import { findCounter } from "./find-counter.ts";

/**
 * `at`: when, by the database's clock. `afterMs`: when to ask again; for gathering, when all of its calls are free.
 * `isPace`: only the calls of this minute are used up; else Pinterest asked for the pause.
 */
export type CallPlace = { kind: "taken"; at: Date } | { kind: "later"; afterMs: number; isPace: boolean };

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
