import "server-only";
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import {
  FORGOTTEN_FIRST_MS,
  FORGOTTEN_LONGEST_MS,
  GONE_KEPT_MS,
  HELD_AGAIN_MS,
  REFRESH_SHARE,
  SWEEP_BATCH,
} from "./constants.ts";
import { isAskable, isFresh, isStuck, isWorking } from "./queries.ts";
import type { GatherInput } from "./schema.ts";

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
interface Begun {
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

/** The event of an asking. */
const makeEvent = (row: { accountId: string; generation: number; sweeps: number }): JobEvent => ({
  name: "results/gather.requested",
  id: `results:${row.accountId}:${row.generation}:${row.sweeps}`,
  data: { accountId: row.accountId, generation: row.generation, sweeps: row.sweeps },
});

/**
 * The pins of an account whose figures a reader misses most: those without any first, then those whose figures go
 * soon, each newest first.
 */
export const pickPins = async (ctx: Ctx, { count, ...due }: Due & { count: number }): Promise<PinId[]> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .leftJoin(pinFigures, eq(pinFigures.pinId, pins.id))
    .where(isDue(ctx, due))
    .orderBy(sql`(${isFresh(ctx)}) is true`, desc(pins.publishedAt), desc(pins.id))
    .limit(count);
  // Rows of this table hold the ids of pins.
  return rows.map(({ id }) => id as PinId);
};

/** Those of some pins that are still due, with Pinterest's names for them; ids may have waited in a run. */
export const findDue = async (
  ctx: Ctx,
  { pinIds, ...due }: Due & { pinIds: readonly string[] },
): Promise<{ id: PinId; pinterestPinId: string }[]> => {
  const rows = await ctx.db
    .select({ id: pins.id, pinterestPinId: pins.pinterestPinId })
    .from(pins)
    .leftJoin(pinFigures, eq(pinFigures.pinId, pins.id))
    .where(and(isDue(ctx, due), inArray(pins.id, [...pinIds])));
  return rows.flatMap(({ id, pinterestPinId }) =>
    pinterestPinId !== null && isId("pin", id) ? [{ id, pinterestPinId }] : [],
  );
};

const isYounger = (ms: number): SQL =>
  sql`${pinFigures.fetchedAt} > now() - make_interval(secs => ${ms / SECOND_MS}::float8)`;

/** Pins that Pinterest no longer has, and was asked about lately: nothing will bring them back. */
const isKnownGone: SQL = sql`(${pinFigures.state} = 'gone' and ${isYounger(GONE_KEPT_MS)})`;

/** Whose pins; `since`: for a run that was asked for then. */
interface Due {
  accountId: AccountId;
  since?: Date;
}

/**
 * Published pins of an account whose figures are missing, or old enough to be fetched before they go. What a run has
 * read is not due again for it, `since` it was asked for, however short figures are kept: else it never ended.
 */
const isDue = (ctx: Ctx, { accountId, since }: Due): SQL | undefined => {
  const freshMs = ctx.settings.analyticsCacheHours * HOUR_MS * REFRESH_SHARE;
  const isOfRun = since ? gte(pinFigures.fetchedAt, since) : sql`false`;
  return and(
    eq(pins.accountId, accountId),
    eq(pins.status, "published"),
    isNotNull(pins.pinterestPinId),
    sql`(${isYounger(freshMs)} or ${isKnownGone} or ${isOfRun}) is not true`,
  );
};

const takeForgotten = (tx: Ctx) => {
  const forgotten = tx.db
    .select({ accountId: resultGathers.accountId })
    .from(resultGathers)
    .where(lte(resultGathers.wakeAt, tx.now()))
    .orderBy(asc(resultGathers.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${resultGathers.sweeps}, 20) + 1))`;
  return tx.db
    .update(resultGathers)
    .set({
      sweeps: sql`${resultGathers.sweeps} + 1`,
      wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})`,
      resumesAt: null,
    })
    .where(inArray(resultGathers.accountId, forgotten))
    .returning();
};

/**
 * Sends a new event for each fetching of figures that nobody works on any more (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepGathers = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(swept.map(makeEvent));
  ctx.log.set({ results_swept: swept.length });
  return { sent: swept.length };
};

/**
 * Has the figures of an account's published pins fetched where they are missing or go soon. Asked again while a
 * run works, while all is fresh, or right after a run was held, it does nothing. What the engine does not take now, the
 * sweep sends.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const askForResults = async (ctx: Ctx<"jobs">, input: GatherInput): Promise<Begun> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  return account.status === "connected" ? beginGather(ctx, account.id) : { isAsked: false };
};

/** `withRefused`: those too that Pinterest refuses, whose figures come only when somebody does something. */
interface Unfinished {
  accountIds: readonly AccountId[];
  withRefused: boolean;
}

/** Whether figures of one of these accounts are still being fetched, or ought to be. */
export const findUnfinished = async (ctx: Ctx, { accountIds, withRefused }: Unfinished): Promise<boolean> => {
  const isWanted = withRefused ? isStuck(ctx) : isAskable(ctx);
  const isOpen = and(inArray(pinterestAccounts.id, [...accountIds]), or(isWorking, isWanted));
  return (await ctx.db.$count(pinterestAccounts, isOpen)) > 0;
};
