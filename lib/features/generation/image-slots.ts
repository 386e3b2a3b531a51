import "server-only";
import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { imagePauses, imageSlots } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { SignalSubscription } from "#lib/core/concurrency.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Postgres channel; the payload is the waiter id of a call that was granted a slot. */
export const IMAGE_SLOT_CHANNEL = "image_slots";

const LEASE_MS = 15 * SECOND_MS;
const RENEW_MS = 4 * SECOND_MS;
/** Before the lease expires, so that two calls never overlap. */
const ABORT_MS = 11 * SECOND_MS;

/** In case a call missed the notification. */
const CHECK_MS = 2 * SECOND_MS;
const CHECK_MIN_MS = 250;
/** Without polls for this long, a waiting call is considered dead. */
const PRESENCE_MS = 8 * SECOND_MS;

/** Within one call of the durable engine. */
const WAIT_MS = MINUTE_MS;
const RETRY_SECONDS = 2;

/** How long slots are granted one at a time after a pause. */
const PACED_MS = 10 * SECOND_MS;
const GAP_MS = { min: 25, max: 250 } as const;

/** Half of the wait that the provider requested, within bounds. */
const gapMsAfter = (waitMs: number): number => Math.round(Math.min(GAP_MS.max, Math.max(GAP_MS.min, waitMs / 2)));

/** The database's clock is the only one that all processes share. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})`;

/** Until the transaction ends. */
const lockQueue = async (tx: Ctx): Promise<void> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('image_slots', 0))`);
};

interface Pause {
  /** 0 when there is no pause. */
  waitMs: number;
  isPaced: boolean;
  gapMs: number;
}

const findPause = async (ctx: Ctx): Promise<Pause> => {
  const [row] = await ctx.db
    .select({
      waitMs: sql<number>`ceil(extract(epoch from ${imagePauses.resumeAt} - clock_timestamp()) * 1000)::int`,
      isPaced: sql<boolean>`${imagePauses.pacedUntil} > clock_timestamp()`,
      gapMs: imagePauses.gapMs,
    })
    .from(imagePauses)
    .where(eq(imagePauses.subject, PAUSE_SUBJECT));
  return row ? { ...row, waitMs: Math.max(0, row.waitMs) } : { waitMs: 0, isPaced: false, gapMs: 0 };
};

export const PAUSE_SUBJECT = "images";

/** `reference` is the task that needs an image; `waiter` identifies the call itself. */
interface SlotRequest {
  reference: string;
  userId: UserId;
  requestedAt: Date;
  waiter: string;
}

/**
 * Times in ms. `taken`: another call holds the task; if it died, its lease ends within `freeMs`. `pauseMs`: time until
 * the next grant (0: once a slot is free).
 */
type RequestResult =
  | { kind: "granted" }
  | { kind: "taken"; freeMs: number }
  | { kind: "waiting"; recheckMs: number; pauseMs: number };

type QueueState = { kind: "leased" } | { kind: "waiting" } | { kind: "taken"; freeMs: number };

const { leasedUntil, presentUntil } = imageSlots;
const validUntil = sql`coalesce(${leasedUntil}, ${presentUntil})`;

const findFreeMs = async (tx: Ctx, { reference }: SlotRequest): Promise<number> => {
  const [other] = await tx.db
    .select({ ms: sql<number>`ceil(extract(epoch from ${validUntil} - clock_timestamp()) * 1000)::int` })
    .from(imageSlots)
    .where(eq(imageSlots.reference, reference));
  return Math.max(0, other?.ms ?? 0);
};

const joinQueue = async (tx: Ctx, request: SlotRequest): Promise<QueueState> => {
  await tx.db.delete(imageSlots).where(sql`${validUntil} <= clock_timestamp()`);
  const [mine] = await tx.db
    .insert(imageSlots)
    .values({ ...request, presentUntil: fromNow(PRESENCE_MS) })
    .onConflictDoUpdate({
      target: imageSlots.reference,
      // The grant may have been noticed late, so the lease starts over.
      set: {
        presentUntil: fromNow(PRESENCE_MS),
        leasedUntil: sql`case when ${leasedUntil} is not null then ${fromNow(LEASE_MS)} end`,
      },
      setWhere: eq(imageSlots.waiter, request.waiter),
    })
    .returning({ leasedUntil });
  if (!mine) return { kind: "taken", freeMs: await findFreeMs(tx, request) };
  return { kind: mine.leasedUntil ? "leased" : "waiting" };
};

/** One lease per reference, OPENAI_IMAGE_CONCURRENCY slots for all processes together (docs/decisions/0008). */
export const requestSlot = async (ctx: Ctx, request: SlotRequest): Promise<RequestResult> => {
  const { state, granted, pauseMs } = await inTransaction(ctx, async (tx) => {
    await lockQueue(tx);
    return { state: await joinQueue(tx, request), ...(await grantSlots(tx)) };
  });
  for (const waiter of granted) ctx.signals.emit(waiter);
  if (state.kind === "taken") return state;
  if (state.kind === "leased" || granted.includes(request.waiter)) return { kind: "granted" };
  // Jitter, because every waiting call also grants slots to the others.
  const minMs = CHECK_MIN_MS * (1 + Math.random());
  return { kind: "waiting", pauseMs, recheckMs: pauseMs > 0 ? Math.min(Math.max(pauseMs, minMs), CHECK_MS) : CHECK_MS };
};

/** To the user with the fewest slots first, then by request time. */
const grantUpTo = async (tx: Ctx, max: number): Promise<string[]> => {
  const rows = await tx.db.execute<{ waiter: string }>(sql`
    with running as (
      select user_id, count(*) as slots from ${imageSlots}
      where is_generating and leased_until > clock_timestamp() group by user_id
    ), waiting as (
      select reference, requested_at, coalesce(slots, 0)
        + row_number() over (partition by user_id order by requested_at, reference) as turn
      from ${imageSlots} left join running using (user_id)
      where leased_until is null and present_until > clock_timestamp()
    ), chosen as (
      select reference from waiting order by turn, requested_at, reference
      limit greatest(0, least(${max}::int, ${tx.settings.imageConcurrency}::int
        - (select coalesce(sum(slots), 0) from running)))
    )
    update ${imageSlots} set is_generating = true, leased_until = ${fromNow(LEASE_MS)}
    where reference in (select reference from chosen) returning waiter, pg_notify(${IMAGE_SLOT_CHANNEL}, waiter)`);
  return rows.map(({ waiter }) => waiter);
};

/** Grants free slots, one at a time after a pause. The caller holds the queue lock. */
const grantSlots = async (tx: Ctx): Promise<{ granted: string[]; pauseMs: number }> => {
  const { waitMs, isPaced, gapMs } = await findPause(tx);
  if (waitMs > 0) return { granted: [], pauseMs: waitMs };
  if (!isPaced) return { granted: await grantUpTo(tx, tx.settings.imageConcurrency), pauseMs: 0 };
  const granted = await grantUpTo(tx, 1);
  if (granted.length > 0) {
    await tx.db
      .update(imagePauses)
      .set({ resumeAt: fromNow(gapMs) })
      .where(eq(imagePauses.subject, PAUSE_SUBJECT));
  }
  return { granted, pauseMs: gapMs };
};

export interface HeldSlot {
  /** Aborted when the lease was not renewed in time. The model call must stop then. */
  signal: AbortSignal;
  /** Once the model has answered. The lease is kept until the work is done. */
  release(): Promise<void>;
}

/** `paused`: the provider rejected the call for now and requested a wait. */
export type SlotOutcome<R> = { kind: "done"; result: R } | { kind: "paused"; waitMs: number };

/** `isTaken`: another live call holds the same reference. */
type SlotResult<R> = { kind: "done"; result: R } | { kind: "no_slot"; afterSeconds: number; isTaken: boolean };

type Turn = { kind: "mine" } | { kind: "none" } | { kind: "taken"; freeMs: number };

/** `none` when the time ran out or the process is stopping. */
const awaitTurn = async (
  ctx: Ctx,
  request: SlotRequest,
  subscription: SignalSubscription,
  untilMs: number,
): Promise<Turn> => {
  for (;;) {
    const answer = await requestSlot(ctx, request);
    if (answer.kind === "taken") return answer;
    if (answer.kind === "granted") return { kind: "mine" };
    const leftMs = untilMs - performance.now();
    if (leftMs <= answer.pauseMs || ctx.stopping.aborted) return { kind: "none" };
    // The notification means a grant, but the lease may have expired since.
    const isEmitted = await subscription.wait(Math.min(answer.recheckMs, leftMs), ctx.stopping);
    if (isEmitted && (await renewSlot(ctx, request))) return { kind: "mine" };
  }
};

/** `lost` is aborted before an unrenewed lease expires. */
const startRenewal = (ctx: Ctx, request: SlotRequest): { lost: AbortSignal; end(): void } => {
  const lost = new AbortController();
  const abort = () => lost.abort(new Error("The lease of an image slot could not be renewed."));
  let deadline = setTimeout(abort, ABORT_MS);
  const renew = async () => {
    const sentMs = performance.now();
    try {
      if (!(await renewSlot(ctx, request))) return abort();
      clearTimeout(deadline);
      if (!hasEnded) deadline = setTimeout(abort, ABORT_MS - (performance.now() - sentMs));
    } catch (error) {
      // The next renewal may succeed; the deadline still applies.
      ctx.log.set({ lease_problem: messageOf(error) });
    }
  };
  let hasEnded = false;
  const timer = setInterval(() => void renew(), RENEW_MS);
  return {
    lost: lost.signal,
    end: () => {
      hasEnded = true;
      clearInterval(timer);
      clearTimeout(deadline);
    },
  };
};

/** Never throws: a slot that cannot be released frees itself when its lease expires. */
const release = async (ctx: Ctx, request: SlotRequest, keepsLease: boolean): Promise<void> => {
  try {
    await releaseSlot(ctx, { ...request, keepsLease });
  } catch (error) {
    ctx.log.set({ slot_problem: messageOf(error) });
  }
};

const runInSlot = async <R>(
  ctx: Ctx,
  request: SlotRequest,
  work: (slot: HeldSlot) => Promise<SlotOutcome<R>>,
): Promise<SlotOutcome<R>> => {
  const lease = startRenewal(ctx, request);
  try {
    return await work({ signal: lease.lost, release: () => release(ctx, request, true) });
  } finally {
    lease.end();
  }
};

/** When the provider requests a pause, all calls wait and `work` runs again, without counting as an attempt (0008). */
export const withImageSlot = async <R>(
  ctx: Ctx,
  target: Omit<SlotRequest, "waiter">,
  work: (slot: HeldSlot) => Promise<SlotOutcome<R>>,
): Promise<SlotResult<R>> => {
  const request = { ...target, waiter: randomUUID() };
  const subscription = ctx.signals.subscribe(request.waiter);
  const sinceMs = performance.now();
  try {
    let turn = await awaitTurn(ctx, request, subscription, sinceMs + WAIT_MS);
    while (turn.kind === "mine") {
      ctx.log.set({ slot_wait_ms: Math.round(performance.now() - sinceMs) });
      const outcome = await runInSlot(ctx, request, work);
      if (outcome.kind === "done") return outcome;
      await pauseImageCalls(ctx, { ...request, waitMs: outcome.waitMs });
      turn = await awaitTurn(ctx, request, subscription, sinceMs + WAIT_MS);
    }
    const isTaken = turn.kind === "taken";
    // By then a live call has renewed its lease, and a dead call's lease has expired.
    const waitMs = turn.kind === "taken" ? turn.freeMs : (await findPause(ctx)).waitMs;
    return { kind: "no_slot", afterSeconds: Math.max(RETRY_SECONDS, Math.ceil(waitMs / 1_000)), isTaken };
  } finally {
    subscription.close();
    await release(ctx, request, false);
  }
};

/** The rejected call returns to its place in the queue. A longer pause stays in effect. */
const pauseImageCalls = (ctx: Ctx, { reference, waiter, waitMs }: SlotRequest & { waitMs: number }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    await lockQueue(tx);
    const pause = { resumeAt: fromNow(waitMs), pacedUntil: fromNow(waitMs + PACED_MS), gapMs: gapMsAfter(waitMs) };
    await tx.db
      .insert(imagePauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({
        target: imagePauses.subject,
        set: {
          resumeAt: sql`greatest(${imagePauses.resumeAt}, excluded.resume_at)`,
          pacedUntil: sql`greatest(${imagePauses.pacedUntil}, excluded.paced_until)`,
          gapMs: pause.gapMs,
        },
      });
    await tx.db
      .update(imageSlots)
      .set({ leasedUntil: null, isGenerating: false, presentUntil: fromNow(PRESENCE_MS) })
      .where(and(eq(imageSlots.reference, reference), eq(imageSlots.waiter, waiter)));
  });

/** @returns whether a slot was freed */
const leaveQueue = async (tx: Ctx, mine: SQL | undefined): Promise<boolean> => {
  const [left] = await tx.db.delete(imageSlots).where(mine).returning({ isGenerating: imageSlots.isGenerating });
  return left?.isGenerating ?? false;
};

/** `keepsLease`: no other call may generate the image before it is stored; otherwise the call leaves the queue. */
export const releaseSlot = async (
  ctx: Ctx,
  { reference, waiter, keepsLease }: SlotRequest & { keepsLease: boolean },
): Promise<void> => {
  const granted = await inTransaction(ctx, async (tx) => {
    await lockQueue(tx);
    const mine = and(eq(imageSlots.reference, reference), eq(imageSlots.waiter, waiter));
    if (keepsLease) await tx.db.update(imageSlots).set({ isGenerating: false }).where(mine);
    else if (!(await leaveQueue(tx, mine))) return [];
    return (await grantSlots(tx)).granted;
  });
  for (const next of granted) ctx.signals.emit(next);
};

/** False when the lease has expired: another call may already be running. */
const renewSlot = async (ctx: Ctx, { reference, waiter }: SlotRequest): Promise<boolean> => {
  const renewed = await ctx.db
    .update(imageSlots)
    .set({ leasedUntil: fromNow(LEASE_MS) })
    .where(
      and(
        eq(imageSlots.reference, reference),
        eq(imageSlots.waiter, waiter),
        sql`${imageSlots.leasedUntil} > clock_timestamp()`,
      ),
    )
    .returning({ reference: imageSlots.reference });
  return renewed.length > 0;
};
