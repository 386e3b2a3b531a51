import "server-only";
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import {
  GONE_TTL_MS,
  HELD_RETRY_MS,
  REFRESH_SHARE,
  STALLED_FIRST_MS,
  STALLED_MAX_MS,
  SWEEP_BATCH,
} from "./constants.ts";
import { isFresh, isRetryable, isStuck, isWorking } from "./queries.ts";
import type { SyncInput } from "./schema.ts";

const { finishedAt, generation, problemText, wakeAt } = analyticsSyncs;

/** Starts a run. Returns its generation, or null while one is running or was recently put on hold. */
const startRun = async (ctx: Ctx, accountId: AccountId): Promise<number | null> => {
  const now = await databaseTime(ctx);
  const request = { requestedAt: now, wakeAt: addMs(now, STALLED_FIRST_MS), resumesAt: null, sweeps: 0 };
  const isRetryable = or(isNull(problemText), lte(finishedAt, addMs(now, -HELD_RETRY_MS)));
  const [row] = await ctx.db
    .insert(analyticsSyncs)
    .values({ accountId, generation: 1, ...request })
    .onConflictDoUpdate({
      target: analyticsSyncs.accountId,
      set: { ...request, generation: sql`${generation} + 1`, finishedAt: null, problemText: null, heldBy: null },
      setWhere: and(isNull(wakeAt), isRetryable),
    })
    .returning({ generation });
  return row?.generation ?? null;
};

const secondsUntilRetry = async (ctx: Ctx, accountId: AccountId): Promise<number | undefined> => {
  const now = await databaseTime(ctx);
  const isHeld = and(isNotNull(problemText), gt(finishedAt, addMs(now, -HELD_RETRY_MS)));
  const [row] = await ctx.db
    .select({ finishedAt })
    .from(analyticsSyncs)
    .where(and(eq(analyticsSyncs.accountId, accountId), isHeld));
  return row?.finishedAt
    ? Math.ceil((row.finishedAt.getTime() + HELD_RETRY_MS - now.getTime()) / SECOND_MS)
    : undefined;
};

interface SyncStart {
  isRequested: boolean;
  retryInSeconds?: number;
}

/** Skips a running sync, fresh metrics, and one just put on hold. The sweep sends an event that could not be sent. */
export const startSync = async (ctx: Ctx<"jobs">, accountId: AccountId): Promise<SyncStart> => {
  if (ctx.settings.analyticsCacheHours === 0) return { isRequested: false };
  const due = await pickPins(ctx, { accountId, count: 1 });
  if (due.length === 0) return { isRequested: false };
  const begun = await startRun(ctx, accountId);
  if (begun === null) {
    const retryInSeconds = await secondsUntilRetry(ctx, accountId);
    return { isRequested: false, ...(retryInSeconds !== undefined && { retryInSeconds }) };
  }
  try {
    await ctx.jobs.send([makeEvent({ accountId, generation: begun, sweeps: 0 })]);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
  return { isRequested: true };
};

const makeEvent = (row: { accountId: string; generation: number; sweeps: number }): JobEvent => ({
  name: "analytics/sync.requested",
  id: `results:${row.accountId}:${row.generation}:${row.sweeps}`,
  data: { accountId: row.accountId, generation: row.generation, sweeps: row.sweeps },
});

/** The pins to sync first: those without metrics, then those whose metrics expire soon, each newest first. */
export const pickPins = async (ctx: Ctx, { count, ...due }: Due & { count: number }): Promise<PinId[]> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .leftJoin(pinMetrics, eq(pinMetrics.pinId, pins.id))
    .where(isDue(ctx, due))
    .orderBy(sql`(${isFresh(ctx)}) is true`, desc(pins.publishedAt), desc(pins.id))
    .limit(count);
  return rows.map(({ id }) => id as PinId);
};

export const findDue = async (
  ctx: Ctx,
  { pinIds, ...due }: Due & { pinIds: readonly string[] },
): Promise<{ id: PinId; pinterestPinId: string }[]> => {
  const rows = await ctx.db
    .select({ id: pins.id, pinterestPinId: pins.pinterestPinId })
    .from(pins)
    .leftJoin(pinMetrics, eq(pinMetrics.pinId, pins.id))
    .where(and(isDue(ctx, due), isAnyOf(pins.id, pinIds)));
  return rows.flatMap(({ id, pinterestPinId }) =>
    pinterestPinId !== null && isId("pin", id) ? [{ id, pinterestPinId }] : [],
  );
};

const isYounger = (ms: number): SQL =>
  sql`${pinMetrics.fetchedAt} > now() - make_interval(secs => ${ms / SECOND_MS}::float8)`;

const isKnownGone: SQL = sql`(${pinMetrics.state} = 'gone' and ${isYounger(GONE_TTL_MS)})`;

interface Due {
  accountId: AccountId;
  since?: Date;
}

/** Pins read `since` the run was requested are not due, so that the run ends however short metrics are kept. */
const isDue = (ctx: Ctx, { accountId, since }: Due): SQL | undefined => {
  const freshMs = ctx.settings.analyticsCacheHours * HOUR_MS * REFRESH_SHARE;
  const isOfRun = since ? gte(pinMetrics.fetchedAt, since) : sql`false`;
  return and(
    eq(pins.accountId, accountId),
    eq(pins.status, "published"),
    isNotNull(pins.pinterestPinId),
    sql`(${isYounger(freshMs)} or ${isKnownGone} or ${isOfRun}) is not true`,
  );
};

const claimStalledRuns = (tx: Ctx) => {
  const stalled = tx.db
    .select({ accountId: analyticsSyncs.accountId })
    .from(analyticsSyncs)
    .where(lte(analyticsSyncs.wakeAt, tx.now()))
    .orderBy(asc(analyticsSyncs.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${STALLED_MAX_MS / SECOND_MS},
    ${STALLED_FIRST_MS / SECOND_MS} * power(2, least(${analyticsSyncs.sweeps}, 20) + 1))`;
  return tx.db
    .update(analyticsSyncs)
    .set({
      sweeps: sql`${analyticsSyncs.sweeps} + 1`,
      wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})`,
      resumesAt: null,
    })
    .where(inArray(analyticsSyncs.accountId, stalled))
    .returning();
};

/** Resends the event of each stalled run. @throws when the events cannot be sent; they are due again later. */
export const sweepSyncs = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, claimStalledRuns);
  await ctx.jobs.send(swept.map(makeEvent));
  ctx.log.set({ analytics_swept: swept.length });
  return { sent: swept.length };
};

/** @throws AppError `not_found` when the account does not belong to the user */
export const requestSync = async (ctx: Ctx<"jobs">, input: SyncInput): Promise<SyncStart> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  return account.status === "connected" ? startSync(ctx, account.id) : { isRequested: false };
};

/** `withRefused`: includes accounts that Pinterest refuses. */
interface Unfinished {
  accountIds: readonly AccountId[];
  withRefused: boolean;
}

export const findUnfinished = async (ctx: Ctx, { accountIds, withRefused }: Unfinished): Promise<boolean> => {
  const isWanted = withRefused ? isStuck(ctx) : isRetryable(ctx);
  const isOpen = and(isAnyOf(pinterestAccounts.id, accountIds), or(isWorking, isWanted));
  return (await ctx.db.$count(pinterestAccounts, isOpen)) > 0;
};
