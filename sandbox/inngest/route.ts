import type { Tx } from "./database.ts";
import { discover, draftOf, endRun, memoize, type RunStart, saveDraft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import { holds, parseExpression } from "./expression.ts";
import type { CancelRule, FunctionConfig } from "./function-config.ts";
import { laneOf } from "./lane.ts";
import { isHeard } from "./listeners.ts";
import { FUNCTION_FINISHED } from "./names.ts";
import { readRunState } from "./run-state.ts";
import { ulid } from "./ulid.ts";
import { iso, isRecord, parseJson } from "./values.ts";

interface StoredEvent {
  id: string;
  name: string;
  body: string;
  receivedAt: Date;
}

/** An event with what its body says. */
interface NewEvent extends StoredEvent {
  event: unknown;
  ts: number;
}

const BATCH = 200;

/**
 * Matches stored events with what they start, wake, cancel or report, each event once, whoever of the executors gets
 * to it. @returns how many there were.
 */
export async function routeEvents(engine: Engine): Promise<number> {
  return engine.db.transaction(async (tx) => {
    const { rows } = await tx.query<StoredEvent>(
      `select id, name, body, received_at as "receivedAt" from event where not routed order by id limit ${BATCH}
       for update skip locked`,
    );
    if (rows.length === 0) return 0;
    const events = rows.map((row): NewEvent => {
      const event = parseJson(row.body);
      return { ...row, event, ts: isRecord(event) && typeof event.ts === "number" ? event.ts : 0 };
    });
    await startRuns(tx, engine, events);
    const awaited = await awaitedNames(tx, events);
    for (const event of events) {
      if (awaited.has(event.name)) await endWaits(tx, event);
      await cancelRuns(tx, engine, event);
      if (event.name === FUNCTION_FINISHED) await reportToParent(tx, event);
    }
    await tx.query("update event set routed = true where id = any($1)", [events.map((event) => event.id)]);
    return rows.length;
  });
}

/** A run of every function that an event triggers, once per function and event. */
async function startRuns(tx: Tx, engine: Engine, events: readonly NewEvent[]): Promise<void> {
  const nowMs = Date.now();
  const started = events.flatMap((event) =>
    [...engine.registry.functions.values()]
      .filter((fn) => isTriggered(fn, event))
      .map((fn) => runStart(fn, event.id, event.event, Math.max(nowMs, event.ts), nowMs)),
  );
  const wanted = started.map((start, place) => ({ ...start, place }));
  if (wanted.length > 0) await tx.query("select start_runs($1, $2)", [JSON.stringify(wanted), iso(nowMs)]);
}

/** The run of a function that an event starts, due at `dueAtMs`. */
export function runStart(
  fn: FunctionConfig,
  eventId: string,
  event: unknown,
  dueAtMs: number,
  nowMs: number,
): RunStart {
  return { id: ulid(nowMs), functionId: fn.id, eventId, lane: laneOf(fn, event), dueAt: iso(dueAtMs), place: 0 };
}

function isTriggered(fn: FunctionConfig, { name, event }: NewEvent): boolean {
  return fn.triggers.some((trigger) => {
    if (trigger.kind !== "event" || trigger.event !== name) return false;
    return trigger.expression === undefined || holds(trigger.expression, { event });
  });
}

async function awaitedNames(tx: Tx, events: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ name: string }>(
    "select distinct wait_event as name from step where completion is null and wait_event = any($1)",
    [events.map((event) => event.name)],
  );
  return new Set(rows.map((row) => row.name));
}

/** Only waits that had begun when the event came in: what was sent before is not waited for. */
async function endWaits(tx: Tx, { name, body, event, receivedAt }: NewEvent): Promise<void> {
  const { rows } = await tx.query<{ runId: string; stepId: string; condition: string | null; started: string }>(
    `select step.run_id as "runId", step.id as "stepId", step.wait_if as condition, starter.body as started
     from step join run on run.id = step.run_id join event starter on starter.id = run.event_id
     where step.completion is null and step.wait_event = $1 and step.planned_at <= $2`,
    [name, receivedAt],
  );
  for (const { runId, stepId, condition, started } of rows) {
    const scope = { event: parseJson(started), async: event };
    if (condition !== null && !holds(parseExpression(condition), scope)) continue;
    await completeStep(tx, runId, stepId, `{"data":${body}}`);
  }
}

/** Writes a step's result from outside of its function, and lets the run go on. */
async function completeStep(tx: Tx, runId: string, stepId: string, memo: string): Promise<void> {
  for (;;) {
    const state = await readRunState(tx, runId);
    const step = state?.steps.get(stepId);
    if (state === undefined || step === undefined || step.isDone) return;
    const draft = draftOf(state, Date.now());
    memoize(draft, { id: stepId }, memo);
    discover(draft, step.isRace);
    if ((await saveDraft(tx, draft)) !== undefined) return;
  }
}

/** The end of an invoked run becomes the result of its parent's step. */
async function reportToParent(tx: Tx, { event }: NewEvent): Promise<void> {
  const data = isRecord(event) && isRecord(event.data) ? event.data : {};
  const { rows } = await tx.query<{ parentRun: string | null; parentStep: string; status: string }>(
    `select parent_run_id as "parentRun", parent_step_id as "parentStep", status from run where id = $1`,
    [data.run_id],
  );
  const [child] = rows;
  if (child === undefined || child.parentRun === null) return;
  const memo = "error" in data ? { error: data.error } : { data: data.result ?? null };
  await completeStep(tx, child.parentRun, child.parentStep, JSON.stringify(memo));
}

async function cancelRuns(tx: Tx, engine: Engine, event: NewEvent): Promise<void> {
  for (const fn of engine.registry.functions.values()) {
    for (const rule of fn.cancels) if (rule.event === event.name) await cancelMatching(tx, engine, fn, rule, event);
  }
}

/** Only events after a run's start cancel it, by their own time as well as by that of their arrival. */
async function cancelMatching(
  tx: Tx,
  engine: Engine,
  fn: FunctionConfig,
  rule: CancelRule,
  { event, ts, receivedAt }: NewEvent,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; body: string; startedAt: Date }>(
    `select run.id, event.body, run.started_at as "startedAt" from run join event on event.id = run.event_id
     where run.function_id = $1 and run.status = 'running' and run.started_at <= $2`,
    [fn.id, iso(Math.min(ts, receivedAt.getTime()))],
  );
  for (const { id, body, startedAt } of rows) {
    const isTooLate = (rule.untilMs?.(startedAt.getTime()) ?? Number.POSITIVE_INFINITY) < receivedAt.getTime();
    if (isTooLate || (rule.expression && !holds(rule.expression, { event: parseJson(body), async: event }))) continue;
    await cancelRun(tx, engine, id);
  }
}

async function cancelRun(tx: Tx, engine: Engine, runId: string): Promise<void> {
  const output = JSON.stringify({ name: "FunctionRunCancelledError", message: "The run was cancelled" });
  for (;;) {
    const state = await readRunState(tx, runId);
    if (state === undefined) return;
    const draft = draftOf(state, Date.now());
    endRun(draft, "cancelled", output, isHeard(engine));
    if ((await saveDraft(tx, draft)) !== undefined) return;
  }
}
