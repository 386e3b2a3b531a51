import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { insertEvents } from "./events.ts";
import type { FunctionConfig } from "./function-config.ts";
import { enqueue, type Job } from "./queue.ts";
import { releaseSlots } from "./slots.ts";
import { ulid } from "./ulid.ts";
import { iso } from "./values.ts";

/** The target of a call that lets the function discover what comes next. */
export const DISCOVERY = "step";
/** The name of the event that a failed run sends. */
export const FUNCTION_FAILED = "inngest/function.failed";

/** One call that the app owes an answer to. It is stale when the run has a newer generation for the same target. */
export interface CallRef {
  runId: string;
  target: string;
  generation: number;
}

/** A running run under its row lock. Counters are written by `saveRun`, jobs are added there too. */
export interface LockedRun {
  id: string;
  functionId: string;
  startedAtMs: number;
  generation: number;
  completions: number;
  steps: number;
  hasSlots: boolean;
  /** Targets whose places in concurrency keys are given up when the run is saved. */
  released: string[];
  jobs: Job[];
}

/** Starts a run unless this function already has one for this event. @returns whether it did. */
export async function startRun(
  tx: Tx,
  engine: Engine,
  fn: FunctionConfig,
  eventId: string,
  dueAtMs: number,
): Promise<boolean> {
  const nowMs = Date.now();
  const run: LockedRun = {
    id: ulid(nowMs),
    functionId: fn.id,
    startedAtMs: nowMs,
    generation: 0,
    completions: 0,
    steps: 0,
    hasSlots: false,
    released: [],
    jobs: [],
  };
  const { rowCount } = await tx.query(
    `insert into run (id, function_id, event_id, status, generation, completions, started_at)
     values ($1, $2, $3, 'running', 0, 0, $4) on conflict (function_id, event_id) do nothing`,
    [run.id, fn.id, eventId, iso(nowMs)],
  );
  if (rowCount !== 1) return false;
  await openCall(tx, run, DISCOVERY, { attempt: 0, failures: 0, dueAtMs });
  await saveRun(tx, engine, run, null);
  return true;
}

/** Locks a run until the transaction ends; undefined when it is over. */
export async function lockRun(tx: Tx, runId: string): Promise<LockedRun | undefined> {
  return (await lockWithCalls(tx, runId))?.run;
}

/** Like `lockRun`, and undefined also when the call is stale: a redelivered job finds a newer generation or none. */
export async function lockCalledRun(tx: Tx, { runId, target, generation }: CallRef): Promise<LockedRun | undefined> {
  const locked = await lockWithCalls(tx, runId);
  return locked?.calls?.[target] === generation ? locked.run : undefined;
}

type Locked = { run: LockedRun; calls: Record<string, number> | null };

async function lockWithCalls(tx: Tx, runId: string): Promise<Locked | undefined> {
  const { rows } = await tx.query<{ functionId: string; startedAt: Date; generation: number; completions: number }>(
    `select function_id as "functionId", started_at as "startedAt", generation, completions from run
     where id = $1 and status = 'running' for update`,
    [runId],
  );
  // A statement of its own: it must see what was committed while the first one waited for the lock.
  const related = await tx.query<{ hasSlots: boolean; steps: number; calls: Locked["calls"] }>(
    `select exists (select 1 from slot where run_id = $1) as "hasSlots",
       (select count(*)::int from step where run_id = $1) as steps,
       (select json_object_agg(target, generation) from call where run_id = $1) as calls`,
    [runId],
  );
  const [row, more] = [rows[0], related.rows[0]];
  if (row === undefined || more === undefined) return undefined;
  const { calls, ...counts } = more;
  const { startedAt, ...facts } = row;
  const run = { id: runId, startedAtMs: startedAt.getTime(), ...facts, ...counts, released: [], jobs: [] };
  return { run, calls };
}

/**
 * Makes the app owe one more answer, or owe it again, under a new generation. Of the calls that are due, those of the
 * oldest run are made first: a run that is nearly done does not queue up behind everything that began after it.
 */
export async function openCall(
  tx: Tx,
  run: LockedRun,
  target: string,
  { attempt, failures, dueAtMs }: { attempt: number; failures: number; dueAtMs: number },
): Promise<void> {
  run.generation += 1;
  await tx.query(
    `insert into call (run_id, target, generation, attempt, failures, due_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (run_id, target) do update set generation = excluded.generation, attempt = excluded.attempt,
       failures = excluded.failures, due_at = excluded.due_at`,
    [run.id, target, run.generation, attempt, failures, iso(dueAtMs)],
  );
  const runAtMs = dueAtMs > Date.now() ? dueAtMs : run.startedAtMs;
  run.jobs.push({ task: "advance", payload: { runId: run.id, target, generation: run.generation }, runAtMs });
}

/** The app has answered: the call is gone, and its places go to whoever waits for them when the run is saved. */
export async function closeCall(tx: Tx, run: LockedRun, target: string): Promise<void> {
  run.released.push(target);
  await tx.query("delete from call where run_id = $1 and target = $2", [run.id, target]);
}

/**
 * Writes a step's result; the first one wins. The number counts completions, which is the order that the SDK
 * wants its stack in.
 */
export async function memoize(tx: Tx, run: LockedRun, step: { id: string; name: string }, memo: string): Promise<void> {
  const { rows } = await tx.query<{ isNew: boolean }>(
    `insert into step (run_id, id, name, kind, completion, memo) values ($1, $2, $3, 'run', $4, $5)
     on conflict (run_id, id) do update set completion = excluded.completion, memo = excluded.memo
       where step.completion is null
     returning xmax = 0 as "isNew"`,
    [run.id, step.id, step.name, run.completions + 1, memo],
  );
  if (rows[0] === undefined) return;
  run.completions += 1;
  if (rows[0].isNew) run.steps += 1;
}

/** Plans a step that is answered later. @returns whether it is new. */
export async function planStep(
  tx: Tx,
  run: LockedRun,
  step: { id: string; name: string },
  kind: "run" | "sleep",
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "insert into step (run_id, id, name, kind) values ($1, $2, $3, $4) on conflict (run_id, id) do nothing",
    [run.id, step.id, step.name, kind],
  );
  if (rowCount !== 1) return false;
  run.steps += 1;
  return true;
}

/** Lets the function go on once nothing is pending. Under the run's lock, so of two completions only one does. */
export async function discoverWhenIdle(tx: Tx, run: LockedRun): Promise<void> {
  const pending = await tx.query("select 1 from step where run_id = $1 and completion is null limit 1", [run.id]);
  if (pending.rows.length === 0) await openCall(tx, run, DISCOVERY, { attempt: 0, failures: 0, dueAtMs: Date.now() });
}

/** Writes back the counters, what holds the run up (null for nothing), and the jobs. Comes last in its transaction. */
export async function saveRun(tx: Tx, engine: Engine, run: LockedRun, problem: string | null): Promise<void> {
  await tx.query("update run set generation = $2, completions = $3, problem = $4 where id = $1", [
    run.id,
    run.generation,
    run.completions,
    problem,
  ]);
  await enqueue(tx, engine.db.queueSchema, run.jobs);
  if (run.hasSlots && run.released.length > 0) await releaseSlots(tx, engine, run);
}

/** Ends a run; whatever was still pending is dropped. `output` is JSON text: the return value or the error. */
export async function endRun(
  tx: Tx,
  engine: Engine,
  run: LockedRun,
  status: "completed" | "failed",
  output: string,
): Promise<void> {
  const { rows } = await tx.query<{ target: string }>("delete from call where run_id = $1 returning target", [run.id]);
  run.released.push(...rows.map((row) => row.target));
  await tx.query("delete from step where run_id = $1 and completion is null", [run.id]);
  run.jobs = [];
  await tx.query("update run set status = $2, output = $3, ended_at = $4 where id = $1", [
    run.id,
    status,
    output,
    iso(Date.now()),
  ]);
  if (status === "failed") await announceFailure(tx, engine, run, output);
}

/** Sends the event that failure handlers wait for; its id is the run's, and a failed handler sends none. */
async function announceFailure(tx: Tx, engine: Engine, run: LockedRun, error: string): Promise<void> {
  const { rows } = await tx.query<{ body: string }>(
    "select body from event where id = (select event_id from run where id = $1) and name <> $2",
    [run.id, FUNCTION_FAILED],
  );
  if (rows[0] === undefined) return;
  const event: unknown = JSON.parse(rows[0].body);
  const data = { function_id: run.functionId, run_id: run.id, error: JSON.parse(error), event, events: [event] };
  await insertEvents(tx, engine, [{ id: run.id, name: FUNCTION_FAILED, data, ts: Date.now() }], undefined);
}
