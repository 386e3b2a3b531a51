import "server-only";
import { and, asc, count, eq, inArray, lt, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf, requireUserId } from "#lib/core/errors.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { eraseTokens } from "#lib/features/accounts/access-tokens.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { forgetFigures } from "#lib/features/analytics/stored-figures.ts";
import { type Pin, toPin } from "#lib/features/pins/queries.ts";
import { applyRuling } from "./attempts.ts";
import { PATIENCE_MS, SWEEP_BATCH, SWEEP_LONGEST_MS, WAKE_GRACE_MS } from "./constants.ts";
import { publishEventId, ruleOnRemoval } from "./policy.ts";
import { isForgotten, lockScheduledPin } from "./queries.ts";
import type { LostAccountWire } from "./schema.ts";

/** A schedule that was just committed. */
export interface Announced {
  pinId: PinId;
  accountId: AccountId;
  scheduleGeneration: number;
}

/** From here on it is the engine's turn, until each pin is due. */
const handOver = async (ctx: Ctx, pinIds: readonly PinId[]): Promise<void> => {
  // Locked by id, as everybody does: in another order this and the next schedule of the same pins block each other.
  const waiting = ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(inArray(pins.id, [...pinIds]), eq(pins.status, "scheduled"), lt(pins.wakeAt, pins.scheduledAt)))
    .orderBy(asc(pins.id))
    .for("update");
  await ctx.db
    .update(pins)
    .set({ wakeAt: sql`${pins.scheduledAt}` })
    .where(inArray(pins.id, waiting));
};

/**
 * Sends one event for each new schedule, under an id of its own. Called after the commit: when the durable engine does
 * not take them, or that it did cannot be noted, the schedule holds all the same, and the sweep finds it (DESIGN §5.6).
 */
export const announcePins = async (ctx: Ctx<"jobs">, schedules: readonly Announced[]): Promise<void> => {
  const events = schedules.map((data) => ({
    name: "pins/publish.requested" as const,
    id: publishEventId(data.pinId, data.scheduleGeneration, 0),
    data: { ...data, sweeps: 0 },
  }));
  try {
    await ctx.jobs.send(events);
    await handOver(
      ctx,
      schedules.map(({ pinId }) => pinId),
    );
  } catch (error) {
    ctx.log.set({ jobs_error: messageOf(error), events_left_to_sweep: events.length });
  }
};

/** Takes pins that nobody works on, so that no other sweep does, and counts the new event. */
const takeForgotten = async (tx: Ctx): Promise<Pin[]> => {
  const now = tx.now();
  const forgotten = tx.db
    .select({ id: pins.id })
    .from(pins)
    .where(isForgotten(now, WAKE_GRACE_MS))
    .orderBy(asc(pins.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const patience = addMs(now, PATIENCE_MS).toISOString();
  const rows = await tx.db
    .update(pins)
    .set({
      sweeps: sql`${pins.sweeps} + 1`,
      wakeAt: sql`greatest(${pins.scheduledAt}, ${patience}::timestamptz)`,
    })
    .where(inArray(pins.id, forgotten))
    .returning();
  return rows.map(toPin);
};

/** Sends the next batch of events. @returns how many; fewer than a batch: there are no more. */
const sweepBatch = async (ctx: Ctx<"jobs">): Promise<number> => {
  const swept = await inTransaction(ctx, takeForgotten);
  try {
    await ctx.jobs.send(
      swept.map(({ id, accountId, scheduleGeneration, sweeps }) => ({
        name: "pins/publish.requested" as const,
        id: publishEventId(id, scheduleGeneration, sweeps),
        data: { pinId: id, accountId, scheduleGeneration, sweeps },
      })),
    );
  } catch (error) {
    const ids = swept.map(({ id }) => id);
    await ctx.db
      .update(pins)
      .set({ wakeAt: sql`now() - make_interval(secs => ${WAKE_GRACE_MS / SECOND_MS + 1})` })
      .where(inArray(pins.id, ids));
    throw error;
  }
  return swept.length;
};

/**
 * Sends a new event for each scheduled pin that nobody seems to work on: its event was lost, its run died in some
 * step, or its account was connected again. The new run goes on where the last one stopped, stuck attempts included,
 * and a run that does live after all does no harm (DESIGN §5.6).
 * @returns how many there were; after half a minute the rest is left to the next sweep.
 * @throws when the engine does not take the events; they are due again at once.
 */
export const sweepPins = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const beganMs = performance.now();
  let sent = 0;
  let last = SWEEP_BATCH;
  while (last === SWEEP_BATCH && performance.now() - beganMs < SWEEP_LONGEST_MS && !ctx.stopping.aborted) {
    last = await sweepBatch(ctx);
    sent += last;
    ctx.log.set({ pins_swept: sent });
  }
  return { sent };
};

/** The queue of publishing over all processes, as the database has it. */
interface QueueDepth {
  /** Scheduled pins: due now; due, but their account waits (reconnect or pause); due later. */
  due: number;
  held: number;
  waiting: number;
  /** How long the first of the due ones has been due, in seconds; 0 without any. */
  oldestDueSeconds: number;
  /** Open attempts: written down; called and not answered; called, and the outcome is not known. */
  armed: number;
  calling: number;
  unclear: number;
}

/** Counts end here, so that asking costs a bounded time; the next due come first. What is due, the database says. */
const COUNTED_MAX = 100_000;

const countPins = (ctx: Ctx) =>
  ctx.db.execute<Pick<QueueDepth, "due" | "held" | "waiting" | "oldestDueSeconds">>(sql`
    select count(*) filter (where is_due and not is_held)::int as due,
      count(*) filter (where is_due and is_held)::int as held,
      count(*) filter (where not is_due)::int as waiting,
      coalesce(extract(epoch from now() - min(scheduled_at) filter (where is_due and not is_held)), 0)
        ::float as "oldestDueSeconds"
    from (
      select p.scheduled_at, p.scheduled_at <= now() as is_due,
        a.status <> 'connected' or coalesce(a.paused_until > now(), false) as is_held
      from ${pins} p join ${pinterestAccounts} a on a.id = p.account_id
      where p.status = 'scheduled' order by p.wake_at limit ${COUNTED_MAX}) scheduled`);

const countAttempts = (ctx: Ctx) =>
  ctx.db.execute<Pick<QueueDepth, "armed" | "calling" | "unclear">>(sql`
    select count(*) filter (where state = 'armed')::int as armed,
      count(*) filter (where state = 'calling' and called_at is not null and answered_at is null)::int as calling,
      count(*) filter (where state = 'calling' and (called_at is null or answered_at is not null))::int as unclear
    from (select state, called_at, answered_at from ${publishAttempts} where state <> 'settled' limit ${COUNTED_MAX}) open`);

/** Counts what waits to be published and what is on its way (for the metrics); two indexed, bounded reads. */
export const countQueue = async (ctx: Ctx): Promise<QueueDepth> => {
  const [[scheduled], [open]] = await Promise.all([countPins(ctx), countAttempts(ctx)]);
  if (!scheduled || !open) throw new Error("A count without a grouping has one row.");
  return { ...scheduled, ...open };
};

/**
 * The actor's accounts that must be connected again, and how many scheduled pins wait for each of them: none goes out
 * before, all go out after (R-SRV-05). The oldest connection first. @throws AppError `unauthenticated`
 */
export const findLostAccounts = async (ctx: Ctx): Promise<LostAccountWire[]> => {
  const { id, username, connectedAt } = pinterestAccounts;
  // The literal is what the index of scheduled pins is made for.
  const isWaiting = and(eq(pins.accountId, id), eq(pins.status, sql`'scheduled'`));
  const isLost = and(
    eq(pinterestAccounts.userId, requireUserId(ctx)),
    eq(pinterestAccounts.status, "reconnect_needed"),
  );
  return ctx.db
    .select({ id, username, waiting_pins: count(pins.id) })
    .from(pinterestAccounts)
    .leftJoin(pins, isWaiting)
    .where(isLost)
    .groupBy(id)
    .orderBy(asc(connectedAt), asc(id));
};

/**
 * Removes an account: its tokens are erased, its scheduled pins become drafts with a reason, its published
 * history stays, and what Pinterest told of it goes (D8). A pin whose call is on its way stays scheduled until that call is answered or its lease is over;
 * one whose outcome is not known becomes a draft that is marked, and looked for before it ever goes out again.
 * @throws AppError `not_found` for an account that is not the actor's, or was removed already.
 */
export const removeAccount = async (ctx: Ctx, input: { accountId: string }): Promise<void> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  await inTransaction(ctx, async (tx) => {
    // Takes the account's lock: who schedules pins meanwhile waits, and then finds the account gone.
    await eraseTokens(tx, { accountId: account.id });
    await forgetFigures(tx, { accountIds: [account.id] });
    const rows = await tx.db
      .select()
      .from(pins)
      .where(and(eq(pins.accountId, account.id), eq(pins.status, "scheduled")))
      .orderBy(pins.id);
    for (const { id: pinId, scheduleGeneration } of rows.map(toPin)) {
      const locked = await lockScheduledPin(tx, { pinId, scheduleGeneration });
      const ruling = locked && ruleOnRemoval(locked.open, tx.now());
      if (ruling) await applyRuling(tx, { pinId, attemptId: locked.open?.id ?? null }, ruling);
    }
    tx.log.set({ account_id: account.id, pins_touched: rows.length });
  });
};
