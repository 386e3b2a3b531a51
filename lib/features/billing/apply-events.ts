import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { paymentEvents } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { applyFact } from "./apply-fact.ts";
import { EVENT_FIRST_MS } from "./constants.ts";
import { readFact } from "./read-fact.ts";

/** Events that one step applies at most. */
const APPLY_MAX = 200;
/** How often, and after which pause, a step looks whether somebody else still applies events. */
const APPLY_TRIES = 20;
const BUSY_MS = 100;
/** Characters of a problem that are kept. */
const PROBLEM_MAX = 500;

type Row = typeof paymentEvents.$inferSelect;
type Turn =
  | { kind: "busy" }
  | { kind: "none" }
  | { kind: "applied" | "failed"; eventId: string; letterIds: LetterId[] };

/** Only one at a time applies events, so that they are applied in their order. Whoever dies lets go of it. */
const isAlone = async (tx: Ctx): Promise<boolean> => {
  const lock = sql`select pg_try_advisory_xact_lock(hashtextextended('payment-events', 0)) as alone`;
  const [row] = await tx.db.execute<{ alone: boolean }>(lock);
  return row?.alone === true;
};

/** The oldest event to be applied. One that failed waits for its time, unless it is the one that is asked for. */
const findNext = async (tx: Ctx, askedId: string | null): Promise<Row | undefined> => {
  const { eventId, appliedAt, problem, wakeAt, occurredAt } = paymentEvents;
  const isDue = or(isNull(problem), lte(wakeAt, tx.now()), askedId === null ? undefined : eq(eventId, askedId));
  const [row] = await tx.db
    .select()
    .from(paymentEvents)
    .where(and(isNull(appliedAt), isDue))
    .orderBy(asc(occurredAt), asc(eventId))
    .limit(1);
  return row;
};

const applyNext = (ctx: Ctx, askedId: string | null): Promise<Turn> =>
  inTransaction(ctx, async (tx) => {
    if (!(await isAlone(tx))) return { kind: "busy" };
    const row = await findNext(tx, askedId);
    if (!row) return { kind: "none" };
    const { eventId } = row;
    const mark = (values: Partial<Row>) =>
      tx.db.update(paymentEvents).set(values).where(eq(paymentEvents.eventId, eventId));
    try {
      const { letterIds } = await applyFact(tx, { fact: readFact(row.fact) });
      await mark({ appliedAt: tx.now(), problem: null });
      return { kind: "applied", eventId, letterIds };
    } catch (error) {
      // The savepoint took the fact back; the others go on without it.
      const problem = messageOf(error).slice(0, PROBLEM_MAX);
      await mark({ problem, wakeAt: new Date(Math.max(row.wakeAt.getTime(), tx.now().getTime() + EVENT_FIRST_MS)) });
      ctx.log.set({ payment_event_id: eventId, payment_problem: problem });
      return { kind: "failed", eventId, letterIds: [] };
    }
  });

/** What a round of applying came to. */
export interface Applied {
  applied: number;
  failed: number;
  /** `more`: there may be others; `another`: somebody else is applying them. */
  left: "none" | "more" | "another";
  /** Reports to support that wait to be announced. */
  letterIds: LetterId[];
}

/**
 * Applies the stored events that are not applied yet, in the order in which they occurred, each in a transaction of its
 * own: fact, what follows from it, and that it was applied, or nothing. One that cannot be applied keeps its problem
 * and does not stop the others. Run twice, or by two, it does no harm.
 * @param input the event that is asked for is tried even if it failed a moment ago
 */
export const applyEvents = async (ctx: Ctx, input: { eventId: string | null }): Promise<Applied> => {
  const done: Applied = { applied: 0, failed: 0, left: "more", letterIds: [] };
  let askedId = input.eventId;
  let tries = 0;
  while (done.left === "more" && done.applied + done.failed < APPLY_MAX && !ctx.stopping.aborted) {
    const turn = await applyNext(ctx, askedId);
    if (turn.kind === "none") done.left = "none";
    else if (turn.kind !== "busy") {
      done[turn.kind] += 1;
      done.letterIds.push(...turn.letterIds);
      if (turn.eventId === askedId) askedId = null;
    } else {
      tries += 1;
      if (tries < APPLY_TRIES) await delay(BUSY_MS);
      else done.left = "another";
    }
  }
  ctx.log.set({ payments_applied: done.applied, ...(done.failed > 0 && { payments_failed: done.failed }) });
  return done;
};
