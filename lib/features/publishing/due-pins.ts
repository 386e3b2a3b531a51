import "server-only";
import { and, asc, eq, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { START_AHEAD_MS, START_BATCH, START_LEASE_MAX_MS, START_LEASE_MS, SWEEP_MAX_MS } from "./constants.ts";
import { publishEventId } from "./policy.ts";

/** A pin whose run is to be started. Times in milliseconds of the epoch, by the database's clock. */
type StartedPin = {
  id: string;
  accountId: string;
  scheduleGeneration: number;
  dueMs: number;
  /** Until when the run must have begun. Unique per start, because it only grows. */
  leaseMs: number;
  nowMs: number;
};

const seconds = (ms: number): SQL => sql`make_interval(secs => ${ms / SECOND_MS})`;
const epochMs = (time: SQL): SQL => sql`(extract(epoch from ${time}) * 1000)::float8`;

/** Claims pins whose work is due, and pins whose scheduled time is near: their runs start at that time. */
const claimDuePins = async (tx: Ctx, only: readonly PinId[] | null): Promise<StartedPin[]> => {
  const now = sql`${tx.now().toISOString()}::timestamptz`;
  const lease = sql`least(${START_LEASE_MAX_MS / SECOND_MS}, ${START_LEASE_MS / SECOND_MS} * power(2, least(${pins.sweeps}, 20)))`;
  // The scan leaves a pin that is being changed to the next scan; pins that were just scheduled are waited for, in id
  // order as everywhere.
  const order = only
    ? sql`order by ${pins.id} limit ${START_BATCH} for update`
    : sql`order by ${pins.wakeAt}, ${pins.id} limit ${START_BATCH} for update skip locked`;
  const rows = await tx.db.execute<StartedPin>(sql`
    with due as (
      select ${pins.id} as due_id, ${pins.wakeAt} as due_at from ${pins}
      where ${pins.status} = 'scheduled' and ${pins.wakeAt} <= ${now} + ${seconds(START_AHEAD_MS)}
        and (${pins.wakeAt} <= ${now} or ${pins.wakeAt} = ${pins.scheduledAt})
        and ${only ? isAnyOf(pins.id, only) : sql`true`}
        and exists (select 1 from ${pinterestAccounts} where ${pinterestAccounts.id} = ${pins.accountId}
          and ${pinterestAccounts.status} <> 'reconnect_needed')
      ${order}
    ), started as (
      update ${pins} set sweeps = ${pins.sweeps} + 1,
        wake_at = greatest(${pins.wakeAt}, ${now}) + make_interval(secs => ${lease})
      from due where ${pins.id} = due_id
      returning ${pins.id} as id, ${pins.accountId} as account_id, ${pins.scheduleGeneration} as generation,
        due_at, ${pins.wakeAt} as lease_at
    )
    select id, account_id as "accountId", generation as "scheduleGeneration", ${epochMs(sql`due_at`)} as "dueMs",
      ${epochMs(sql`lease_at`)} as "leaseMs", ${epochMs(now)} as "nowMs"
    from started order by due_at, id`);
  return [...rows];
};

/** Claimed pins are due again at once, unless a run was started after all and has changed them. */
const releaseClaims = async (ctx: Ctx, started: readonly StartedPin[]): Promise<void> => {
  const claims = sql.join(
    started.map(({ id, leaseMs }) => sql`(${id}::text, to_timestamp(${leaseMs / SECOND_MS}::float8)::timestamptz(3))`),
    sql`, `,
  );
  await ctx.db.execute(sql`
    update ${pins} set sweeps = greatest(${pins.sweeps} - 1, 0), wake_at = greatest(${pins.scheduledAt}, now())
    from (values ${claims}) as claimed (claimed_id, lease_at)
    where ${pins.id} = claimed_id and ${pins.wakeAt} = lease_at and ${pins.status} = 'scheduled'`);
};

/** @returns how many runs were requested; fewer than a batch means there are no more. */
const startBatch = async (ctx: Ctx<"jobs">, only: readonly PinId[] | null): Promise<number> => {
  const started = await inTransaction(ctx, (tx) => claimDuePins(tx, only));
  if (started.length === 0) return 0;
  const clockMs = ctx.now().getTime();
  const events = started.map(({ id, accountId, scheduleGeneration, dueMs, leaseMs, nowMs }) => ({
    name: "pins/publish.requested" as const,
    id: publishEventId(id, scheduleGeneration, Math.round(leaseMs)),
    // By this process's clock, which is closer to the engine's than the database's.
    ...(dueMs > nowMs && { ts: Math.round(clockMs + dueMs - nowMs) }),
    data: { pinId: id, accountId, scheduleGeneration },
  }));
  try {
    await ctx.jobs.send(events);
  } catch (error) {
    await releaseClaims(ctx, started);
    throw error;
  }
  return started.length;
};

/**
 * Takes the due pins of accounts that need reconnecting out of the scan's index: many of them would slow every scan.
 * @returns how many; fewer than a batch means there are no more
 */
const holdBatch = async (ctx: Ctx): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    // Both rows are locked, so that a reconnection comes before this or sees the mark. Neither lock is waited for.
    const held = await tx.db
      .select({ id: pins.id, accountId: pins.accountId })
      .from(pins)
      .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
      .where(
        and(
          eq(pins.status, sql`'scheduled'`),
          lte(pins.wakeAt, tx.now()),
          eq(pinterestAccounts.status, "reconnect_needed"),
        ),
      )
      .orderBy(asc(pins.wakeAt), asc(pins.id))
      .limit(START_BATCH)
      .for("no key update", { skipLocked: true });
    if (held.length === 0) return 0;
    const accountIds = [...new Set(held.map(({ accountId }) => accountId))];
    await tx.db.update(pinterestAccounts).set({ holdsPins: true }).where(isAnyOf(pinterestAccounts.id, accountIds));
    const pinIds = held.map(({ id }) => id);
    await tx.db.update(pins).set({ wakeAt: null }).where(isAnyOf(pins.id, pinIds));
    return held.length;
  });

/** Accounts per scan whose held pins continue. */
const RESUMED_MAX = 20;

/**
 * Held pins of accounts that were reconnected or removed continue: overdue ones at their pace, others at their time.
 * @returns whether there were any
 */
const resumeHeldPins = (ctx: Ctx): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    const resumed = await tx.db
      .select({ id: pinterestAccounts.id })
      .from(pinterestAccounts)
      .where(and(eq(pinterestAccounts.holdsPins, sql`true`), ne(pinterestAccounts.status, "reconnect_needed")))
      .orderBy(asc(pinterestAccounts.id))
      .limit(RESUMED_MAX)
      .for("no key update", { skipLocked: true });
    if (resumed.length === 0) return false;
    const accountIds = resumed.map(({ id }) => id);
    await tx.db.update(pinterestAccounts).set({ holdsPins: false }).where(isAnyOf(pinterestAccounts.id, accountIds));
    await tx.db
      .update(pins)
      .set({ wakeAt: sql`${pins.scheduledAt}` })
      .where(and(isAnyOf(pins.accountId, accountIds), eq(pins.status, sql`'scheduled'`), isNull(pins.wakeAt)));
    return true;
  });

/**
 * Starts a run for each pin that is due or nearly due. Also replaces runs that the engine lost: a pin whose run doesn't
 * begin, or dies, is due again within a minute. Harmless for a live run. Stops after 30 seconds.
 * @throws when the engine does not take the events; the pins are due again at once
 */
export const startDuePins = async (ctx: Ctx<"jobs">): Promise<{ started: number }> => {
  const beganMs = performance.now();
  const hasTime = () => performance.now() - beganMs < SWEEP_MAX_MS && !ctx.stopping.aborted;
  let started = 0;
  const startAll = async () => {
    for (let last = START_BATCH; last === START_BATCH && hasTime(); ) {
      last = await startBatch(ctx, null);
      started += last;
      ctx.log.set({ pins_started: started });
    }
  };
  await startAll();
  // After the others, so that many reconnections don't delay them.
  if (await resumeHeldPins(ctx)) await startAll();
  for (let held = START_BATCH; held === START_BATCH && hasTime(); ) held = await holdBatch(ctx);
  return { started };
};

/** Starts those of these newly scheduled pins that are due soon. Call after the commit; failures are left to the scan. */
export const startScheduledPins = async (ctx: Ctx<"jobs">, pinIds: readonly PinId[]): Promise<void> => {
  try {
    await startBatch(ctx, pinIds);
  } catch (error) {
    ctx.log.set({ jobs_error: messageOf(error) });
  }
};
