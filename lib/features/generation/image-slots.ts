import "server-only";
import { randomUUID } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { drawingPauses, drawingPlaces } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { Ear } from "#lib/core/concurrency.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** On this channel the database tells every process which call was given a place. */
export const DRAWING_CHANNEL = "drawing";

/** A lease ends so long after its holder last renewed it … */
const LEASE_MS = 15 * SECOND_MS;
/** … which a living holder does this often … */
const RENEW_MS = 4 * SECOND_MS;
/** … and one that cannot ends its call by then, so that no other begins while it runs. */
const ABANDON_MS = 11 * SECOND_MS;

/** A waiting call looks this often whether it was given a place, in case nobody woke it … */
const LOOK_MS = 2 * SECOND_MS;
/** … sooner while places are given after a pause, but no sooner than this … */
const LOOK_LEAST_MS = 250;
/** … and counts as gone when it did not look for so long. */
const PRESENT_MS = 8 * SECOND_MS;

/** Longest wait within one call of the durable engine. */
const WAIT_MS = MINUTE_MS;
/** Who goes away without a place comes again after so many seconds. */
const AGAIN_SECONDS = 2;

/** After the provider asked for a pause, places are given one at a time for so long. */
const PACED_MS = 10 * SECOND_MS;
/** Shortest and longest time between two of them. */
const GAP_MS = { least: 25, most: 250 } as const;

/** Milliseconds between two places given after a pause: half of what the provider asked for, within bounds. */
const gapMsAfter = (waitMs: number): number => Math.round(Math.min(GAP_MS.most, Math.max(GAP_MS.least, waitMs / 2)));

/** A moment so far from now, by the database's clock: the only one that several processes share. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})`;

/** Whose turn it is is decided by one at a time; waits until the transaction may. */
const lockLine = async (tx: Ctx): Promise<void> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('drawing_places', 0))`);
};

interface Pause {
  /** Milliseconds until places are given again; 0 when they are. */
  waitMs: number;
  isPaced: boolean;
  gapMs: number;
}

/** The pause that the provider asked for, as it stands now. */
const findPause = async (ctx: Ctx): Promise<Pause> => {
  const [row] = await ctx.db
    .select({
      waitMs: sql<number>`ceil(extract(epoch from ${drawingPauses.resumeAt} - clock_timestamp()) * 1000)::int`,
      isPaced: sql<boolean>`${drawingPauses.pacedUntil} > clock_timestamp()`,
      gapMs: drawingPauses.gapMs,
    })
    .from(drawingPauses)
    .where(eq(drawingPauses.subject, PAUSE_SUBJECT));
  return row ? { ...row, waitMs: Math.max(0, row.waitMs) } : { waitMs: 0, isPaced: false, gapMs: 0 };
};

export const PAUSE_SUBJECT = "images";

/** A call that wants to draw: for what and whom, and since when that waits. `waiter` names the call itself. */
interface Claim {
  reference: string;
  userId: UserId;
  askedAt: Date;
  waiter: string;
}

/**
 * `taken`: another call waits or draws for the same; should it be dead, the thing is free after `freeMs`. `waiting`: to
 * be asked again after `againMs`; nobody is given a place before `pauseMs` are over.
 */
type Asked =
  | { kind: "granted" }
  | { kind: "taken"; freeMs: number }
  | { kind: "waiting"; againMs: number; pauseMs: number };

type Stand = { kind: "leased" } | { kind: "waiting" } | { kind: "taken"; freeMs: number };

const { leasedUntil, presentUntil } = drawingPlaces;
const heldUntil = sql`coalesce(${leasedUntil}, ${presentUntil})`;

/** Milliseconds until a call that gives no sign of life any more has lost what it holds. */
const findFreeMs = async (tx: Ctx, { reference }: Claim): Promise<number> => {
  const [other] = await tx.db
    .select({ ms: sql<number>`ceil(extract(epoch from ${heldUntil} - clock_timestamp()) * 1000)::int` })
    .from(drawingPlaces)
    .where(eq(drawingPlaces.reference, reference));
  return Math.max(0, other?.ms ?? 0);
};

const stand = async (tx: Ctx, claim: Claim): Promise<Stand> => {
  await tx.db.delete(drawingPlaces).where(sql`${heldUntil} <= clock_timestamp()`);
  const [mine] = await tx.db
    .insert(drawingPlaces)
    .values({ ...claim, presentUntil: fromNow(PRESENT_MS) })
    .onConflictDoUpdate({
      target: drawingPlaces.reference,
      // A lease that is found late has run for a while: its holder has the whole of it from now.
      set: {
        presentUntil: fromNow(PRESENT_MS),
        leasedUntil: sql`case when ${leasedUntil} is not null then ${fromNow(LEASE_MS)} end`,
      },
      setWhere: eq(drawingPlaces.waiter, claim.waiter),
    })
    .returning({ leasedUntil });
  if (!mine) return { kind: "taken", freeMs: await findFreeMs(tx, claim) };
  return { kind: mine.leasedUntil ? "leased" : "waiting" };
};

/**
 * Stands in line for a place to draw, or says that one still does (docs/decisions/0008). At most
 * OPENAI_IMAGE_CONCURRENCY places are given at a time over all processes, and one lease per reference.
 */
export const askPlace = async (ctx: Ctx, claim: Claim): Promise<Asked> => {
  const { state, granted, pauseMs } = await inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    return { state: await stand(tx, claim), ...(await grantPlaces(tx)) };
  });
  for (const waiter of granted) ctx.bell.ring(waiter);
  if (state.kind === "taken") return state;
  if (state.kind === "leased" || granted.includes(claim.waiter)) return { kind: "granted" };
  // Not all at the same moment: each of them gives the next places for everybody.
  const leastMs = LOOK_LEAST_MS * (1 + Math.random());
  return { kind: "waiting", pauseMs, againMs: pauseMs > 0 ? Math.min(Math.max(pauseMs, leastMs), LOOK_MS) : LOOK_MS };
};

/** Gives up to `most` free places to those who wait: to the user with the fewest, then first come first served. */
const grant = async (tx: Ctx, most: number): Promise<string[]> => {
  const rows = await tx.db.execute<{ waiter: string }>(sql`
    with running as (
      select user_id, count(*) as places from ${drawingPlaces}
      where is_drawing and leased_until > clock_timestamp() group by user_id
    ), waiting as (
      select reference, asked_at, coalesce(places, 0)
        + row_number() over (partition by user_id order by asked_at, reference) as turn
      from ${drawingPlaces} left join running using (user_id)
      where leased_until is null and present_until > clock_timestamp()
    ), chosen as (
      select reference from waiting order by turn, asked_at, reference
      limit greatest(0, least(${most}::int, ${tx.settings.imageConcurrency}::int
        - (select coalesce(sum(places), 0) from running)))
    )
    update ${drawingPlaces} set is_drawing = true, leased_until = ${fromNow(LEASE_MS)}
    where reference in (select reference from chosen) returning waiter, pg_notify(${DRAWING_CHANNEL}, waiter)`);
  return rows.map(({ waiter }) => waiter);
};

/**
 * Gives the free places to those whose turn it is; the line must be locked (`lockLine`). After a pause that the
 * provider asked for, one at a time.
 * @returns the calls that have a place now, and how many milliseconds to the next grant (0: when one comes free).
 */
const grantPlaces = async (tx: Ctx): Promise<{ granted: string[]; pauseMs: number }> => {
  const { waitMs, isPaced, gapMs } = await findPause(tx);
  if (waitMs > 0) return { granted: [], pauseMs: waitMs };
  if (!isPaced) return { granted: await grant(tx, tx.settings.imageConcurrency), pauseMs: 0 };
  const granted = await grant(tx, 1);
  if (granted.length > 0) {
    await tx.db
      .update(drawingPauses)
      .set({ resumeAt: fromNow(gapMs) })
      .where(eq(drawingPauses.subject, PAUSE_SUBJECT));
  }
  return { granted, pauseMs: gapMs };
};

/** A place to draw, as its holder sees it. */
export interface Place {
  /** Aborted when the lease could not be renewed in time: the call to the model must end then. */
  signal: AbortSignal;
  /** The model has answered: the place goes to the next one, the lease stays until the work is done. */
  handOn(): Promise<void>;
}

/** What the holder's work came to; `paused`: the provider refused for now and asked for a wait. */
export type Drawing<R> = { kind: "done"; result: R } | { kind: "paused"; waitMs: number };

/** `isTaken`: another call waits or draws for the same, and has shown that it lives. */
type Held<R> = { kind: "done"; result: R } | { kind: "no_place"; afterSeconds: number; isTaken: boolean };

type Turn = { kind: "mine" } | { kind: "none" } | { kind: "taken"; freeMs: number };

/** Waits for a turn, for a minute at most. None when another call draws the same, or the time is over. */
const awaitTurn = async (ctx: Ctx, claim: Claim, ear: Ear, untilMs: number): Promise<Turn> => {
  for (;;) {
    const asked = await askPlace(ctx, claim);
    if (asked.kind === "taken") return asked;
    if (asked.kind === "granted") return { kind: "mine" };
    const leftMs = untilMs - performance.now();
    if (leftMs <= asked.pauseMs || ctx.stopping.aborted) return { kind: "none" };
    // Woken is given a place; the renewal says whether it still is.
    const hasRung = await ear.wait(Math.min(asked.againMs, leftMs), ctx.stopping);
    if (hasRung && (await renewPlace(ctx, claim))) return { kind: "mine" };
  }
};

/** Keeps a lease alive while work goes on; `lost` is aborted in time when that fails. */
const keepLease = (ctx: Ctx, claim: Claim): { lost: AbortSignal; end(): void } => {
  const lost = new AbortController();
  const abandon = () => lost.abort(new Error("The lease of a place to draw could not be renewed."));
  let deadline = setTimeout(abandon, ABANDON_MS);
  const renew = async () => {
    const askedMs = performance.now();
    try {
      if (!(await renewPlace(ctx, claim))) return abandon();
      clearTimeout(deadline);
      if (!hasEnded) deadline = setTimeout(abandon, ABANDON_MS - (performance.now() - askedMs));
    } catch (error) {
      // The next renewal may come through; the deadline stands.
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

/** A place that cannot be given back now comes free by itself when its lease ends. */
const release = async (ctx: Ctx, claim: Claim, keepsLease: boolean): Promise<void> => {
  try {
    await releasePlace(ctx, { ...claim, keepsLease });
  } catch (error) {
    ctx.log.set({ place_problem: messageOf(error) });
  }
};

const workIn = async <R>(ctx: Ctx, claim: Claim, work: (place: Place) => Promise<Drawing<R>>): Promise<Drawing<R>> => {
  const lease = keepLease(ctx, claim);
  try {
    return await work({ signal: lease.lost, handOn: () => release(ctx, claim, true) });
  } finally {
    lease.end();
  }
};

/**
 * Waits for a place to draw and works in it (docs/decisions/0008). However the work ends, the place is handed on.
 * A pause that the provider asks for holds everybody; the work is done again after it, which counts as no try.
 */
export const holdPlace = async <R>(
  ctx: Ctx,
  wanted: Omit<Claim, "waiter">,
  work: (place: Place) => Promise<Drawing<R>>,
): Promise<Held<R>> => {
  const claim = { ...wanted, waiter: randomUUID() };
  const ear = ctx.bell.listen(claim.waiter);
  const sinceMs = performance.now();
  try {
    let turn = await awaitTurn(ctx, claim, ear, sinceMs + WAIT_MS);
    while (turn.kind === "mine") {
      ctx.log.set({ line_ms: Math.round(performance.now() - sinceMs) });
      const drawing = await workIn(ctx, claim, work);
      if (drawing.kind === "done") return drawing;
      await pauseDrawing(ctx, { ...claim, waitMs: drawing.waitMs });
      turn = await awaitTurn(ctx, claim, ear, sinceMs + WAIT_MS);
    }
    const isTaken = turn.kind === "taken";
    // A living call renews what it holds: who comes at its end finds that out, or a dead one's thing free.
    const waitMs = turn.kind === "taken" ? turn.freeMs : (await findPause(ctx)).waitMs;
    return { kind: "no_place", afterSeconds: Math.max(AGAIN_SECONDS, Math.ceil(waitMs / 1_000)), isTaken };
  } finally {
    ear.close();
    await release(ctx, claim, false);
  }
};

/**
 * The provider refused a call for now and named a wait: nobody asks before it is over, and the refused call stands in
 * line again where it stood. A longer pause that holds already stays.
 */
const pauseDrawing = (ctx: Ctx, { reference, waiter, waitMs }: Claim & { waitMs: number }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    const pause = { resumeAt: fromNow(waitMs), pacedUntil: fromNow(waitMs + PACED_MS), gapMs: gapMsAfter(waitMs) };
    await tx.db
      .insert(drawingPauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({
        target: drawingPauses.subject,
        set: {
          resumeAt: sql`greatest(${drawingPauses.resumeAt}, excluded.resume_at)`,
          pacedUntil: sql`greatest(${drawingPauses.pacedUntil}, excluded.paced_until)`,
          gapMs: pause.gapMs,
        },
      });
    await tx.db
      .update(drawingPlaces)
      .set({ leasedUntil: null, isDrawing: false, presentUntil: fromNow(PRESENT_MS) })
      .where(and(eq(drawingPlaces.reference, reference), eq(drawingPlaces.waiter, waiter)));
  });

/** @returns whether the call took up a place, which is free now. */
const leave = async (tx: Ctx, mine: SQL | undefined): Promise<boolean> => {
  const [left] = await tx.db.delete(drawingPlaces).where(mine).returning({ isDrawing: drawingPlaces.isDrawing });
  return left?.isDrawing ?? false;
};

/**
 * Hands a call's place on at once. `keepsLease`: the model has answered, but what it drew is not stored yet; until it
 * is, nobody else may draw the same. Otherwise the call leaves the line altogether.
 */
export const releasePlace = async (
  ctx: Ctx,
  { reference, waiter, keepsLease }: Claim & { keepsLease: boolean },
): Promise<void> => {
  const granted = await inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    const mine = and(eq(drawingPlaces.reference, reference), eq(drawingPlaces.waiter, waiter));
    if (keepsLease) await tx.db.update(drawingPlaces).set({ isDrawing: false }).where(mine);
    else if (!(await leave(tx, mine))) return [];
    return (await grantPlaces(tx)).granted;
  });
  for (const next of granted) ctx.bell.ring(next);
};

/** Prolongs a call's lease. False when it has none any more: then another may draw already. */
const renewPlace = async (ctx: Ctx, { reference, waiter }: Claim): Promise<boolean> => {
  const renewed = await ctx.db
    .update(drawingPlaces)
    .set({ leasedUntil: fromNow(LEASE_MS) })
    .where(
      and(
        eq(drawingPlaces.reference, reference),
        eq(drawingPlaces.waiter, waiter),
        sql`${drawingPlaces.leasedUntil} > clock_timestamp()`,
      ),
    )
    .returning({ reference: drawingPlaces.reference });
  return renewed.length > 0;
};
