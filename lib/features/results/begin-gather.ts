import "server-only";
import { and, eq, gt, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { resultGathers } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, HELD_AGAIN_MS } from "./constants.ts";
import { makeEvent } from "./make-event.ts";
import { pickPins } from "./pick-pins.ts";

const { finishedAt, generation, problemText, wakeAt } = resultGathers;

/** Begins a run; null while one works, and for a while after one was held. */
const begin = async (ctx: Ctx, accountId: AccountId): Promise<number | null> => {
  const now = await databaseTime(ctx);
  const asked = { askedAt: now, wakeAt: addMs(now, FORGOTTEN_FIRST_MS), resumesAt: null, sweeps: 0 };
  const isAskable = or(isNull(problemText), lte(finishedAt, addMs(now, -HELD_AGAIN_MS)));
  const [row] = await ctx.db
    .insert(resultGathers)
    .values({ accountId, generation: 1, ...asked })
    .onConflictDoUpdate({
      target: resultGathers.accountId,
      set: { ...asked, generation: sql`${generation} + 1`, finishedAt: null, problemText: null, heldBy: null },
      setWhere: and(isNull(wakeAt), isAskable),
    })
    .returning({ generation });
  return row?.generation ?? null;
};

/** Whole seconds until a run may begin again that was held; undefined where nothing stands against it. */
const secondsHeld = async (ctx: Ctx, accountId: AccountId): Promise<number | undefined> => {
  const now = await databaseTime(ctx);
  const isHeld = and(isNotNull(problemText), gt(finishedAt, addMs(now, -HELD_AGAIN_MS)));
  const [row] = await ctx.db
    .select({ finishedAt })
    .from(resultGathers)
    .where(and(eq(resultGathers.accountId, accountId), isHeld));
  return row?.finishedAt
    ? Math.ceil((row.finishedAt.getTime() + HELD_AGAIN_MS - now.getTime()) / SECOND_MS)
    : undefined;
};

/** Whether a run began; where one was held a moment ago, in how many seconds it can be asked again. */
export interface Begun {
  isAsked: boolean;
  againInSeconds?: number;
}

/**
 * Begins to fetch the figures of an account's published pins where they are missing or go soon. While a run
 * works, while all is fresh, or right after a run was held, it does nothing. What the engine does not take now, the
 * sweep sends. The caller has proven the right to use the account, or is a job.
 */
export const beginGather = async (ctx: Ctx<"jobs">, accountId: AccountId): Promise<Begun> => {
  if (ctx.settings.analyticsCacheHours === 0) return { isAsked: false };
  const due = await pickPins(ctx, { accountId, count: 1 });
  if (due.length === 0) return { isAsked: false };
  const begun = await begin(ctx, accountId);
  if (begun === null) {
    const againInSeconds = await secondsHeld(ctx, accountId);
    return { isAsked: false, ...(againInSeconds !== undefined && { againInSeconds }) };
  }
  try {
    await ctx.jobs.send([makeEvent({ accountId, generation: begun, sweeps: 0 })]);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
  return { isAsked: true };
};
