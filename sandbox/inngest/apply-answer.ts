import { type Answer, type Op, toWireError } from "./answer.ts";
import type { Tx } from "./database.ts";
import { reconnectDelayMs, retryAtMs, wakeAtMs } from "./duration.ts";
import type { Engine } from "./engine.ts";
import {
  type CallRef,
  closeCall,
  DISCOVERY,
  discoverWhenIdle,
  endRun,
  type LockedRun,
  lockCalledRun,
  lockRun,
  memoize,
  openCall,
  planStep,
  saveRun,
} from "./runs.ts";

/** A call that was made, and how often it was tried. */
export interface MadeCall extends CallRef {
  functionId: string;
  attempt: number;
}

/** What applying an op did to its call. */
type Outcome = { kind: "settled" } | { kind: "retry"; error: string } | { kind: "over" };
/** How an op is retried, and whether this was the last attempt. */
type Verdict = { isFinal: boolean; retryAfter: string | undefined };

const MAX_STEPS = 1_000;
const MAX_MEMO_BYTES = 4 * 1024 * 1024;
const MISCONFIGURED_DELAY_MS = 10_000;
const UNKNOWN_FUNCTION_DELAY_MS = 2_000;
const SETTLED: Outcome = { kind: "settled" };

/** Applies an answer: one transaction, under the run's lock, only if the call is still the newest for its target. */
export async function applyAnswer(tx: Tx, engine: Engine, call: MadeCall, answer: Answer): Promise<void> {
  const run = await lockCalledRun(tx, call);
  if (run === undefined) return;
  const problem = await applyTo(tx, engine, run, call, answer);
  await saveRun(tx, engine, run, problem);
}

/** @returns what holds the run up, for people; null when nothing does. */
async function applyTo(tx: Tx, engine: Engine, run: LockedRun, call: MadeCall, answer: Answer): Promise<string | null> {
  switch (answer.kind) {
    case "unreachable":
      await callAgain(tx, run, call);
      return answer.reason;
    case "misconfigured":
      if (answer.isUnknownFunction) engine.requestSync();
      else engine.log(`executor: ${answer.reason}`);
      await callLater(tx, run, call, answer.isUnknownFunction ? UNKNOWN_FUNCTION_DELAY_MS : MISCONFIGURED_DELAY_MS);
      return answer.reason;
    case "unusable":
      return failRun(tx, engine, run, answer.reason);
    case "finished":
      await endRun(tx, engine, run, "completed", answer.output);
      return null;
    case "failed": {
      const error = JSON.stringify(answer.error);
      if (!isSpent(engine, call, answer)) return retry(tx, engine, run, call, answer.retryAfter, error);
      await endRun(tx, engine, run, "failed", error);
      return answer.error.message;
    }
    case "ops":
      return applyOps(tx, engine, run, call, answer);
    default:
      return answer satisfies never;
  }
}

async function applyOps(
  tx: Tx,
  engine: Engine,
  run: LockedRun,
  call: MadeCall,
  answer: Extract<Answer, { kind: "ops" }>,
): Promise<string | null> {
  const before = run.completions + run.steps;
  const verdict = { isFinal: isSpent(engine, call, answer), retryAfter: answer.retryAfter };
  for (const op of answer.ops) {
    const refusal = refuseOp(op);
    if (refusal !== undefined) return failRun(tx, engine, run, refusal);
    const outcome = await applyOp(tx, engine, run, op, verdict);
    if (outcome.kind === "over") return null;
    if (outcome.kind === "retry") return retry(tx, engine, run, call, verdict.retryAfter, outcome.error);
  }
  if (run.steps > MAX_STEPS) return failRun(tx, engine, run, `The run has more than ${MAX_STEPS} steps`);
  const isStuck = run.completions + run.steps === before && !answer.ops.some((op) => op.op === "DiscoveryRequest");
  if (isStuck) return failRun(tx, engine, run, "The SDK reported nothing new, so the run cannot go on");
  await closeCall(tx, run, call.target);
  if (call.target !== DISCOVERY && (await isPending(tx, run, call.target))) {
    return failRun(tx, engine, run, "The SDK answered for other steps than the one it was asked to run");
  }
  await discoverWhenIdle(tx, run);
  return null;
}

async function applyOp(tx: Tx, engine: Engine, run: LockedRun, op: Op, verdict: Verdict): Promise<Outcome> {
  const step = { id: op.id, name: op.displayName };
  switch (op.op) {
    case "StepRun":
      await memoize(tx, run, step, JSON.stringify({ data: op.data ?? null }));
      return SETTLED;
    case "StepError":
    case "StepFailed": {
      const error = toWireError(op.error, `Step "${op.displayName}" failed`);
      if (op.op === "StepError" && !verdict.isFinal) return { kind: "retry", error: JSON.stringify(error) };
      await memoize(tx, run, step, JSON.stringify({ error }));
      return SETTLED;
    }
    case "StepPlanned":
      if (await planStep(tx, run, step, "run"))
        await openCall(tx, run, op.id, { attempt: 0, failures: 0, dueAtMs: Date.now() });
      return SETTLED;
    case "Sleep":
      if (await planStep(tx, run, step, "sleep")) {
        const runAtMs = wakeAtMs(op.name, Date.now()) ?? Date.now();
        run.jobs.push({ task: "wake", payload: { runId: run.id, stepId: op.id }, runAtMs });
      }
      return SETTLED;
    case "RunComplete":
      await endRun(tx, engine, run, "completed", JSON.stringify(op.data ?? null));
      return { kind: "over" };
    default:
      return SETTLED;
  }
}

/** @returns a sentence when this executor cannot do what the op asks for. */
function refuseOp(op: Op): string | undefined {
  const known = ["StepRun", "StepError", "StepFailed", "StepPlanned", "Sleep", "RunComplete", "DiscoveryRequest"];
  if (!known.includes(op.op)) return `Step "${op.displayName}" needs "${op.op}", which this executor does not support`;
  if (op.opts.parallelMode === "race")
    return `Step "${op.displayName}" runs in a race group, which this executor does not support`;
  if (op.op === "Sleep" && wakeAtMs(op.name, 0) === undefined)
    return `Step "${op.displayName}" sleeps for "${op.name}", which is no duration`;
  if (op.op === "StepRun" && JSON.stringify(op.data ?? null).length > MAX_MEMO_BYTES) {
    return `Step "${op.displayName}" returned more than 4 MB`;
  }
  return undefined;
}

/** Ends a sleep: memo `null`, and the function goes on if nothing else is pending. */
export async function wake(
  tx: Tx,
  engine: Engine,
  { runId, stepId }: { runId: string; stepId: string },
): Promise<void> {
  const run = await lockRun(tx, runId);
  if (run === undefined || !(await isPending(tx, run, stepId))) return;
  await memoize(tx, run, { id: stepId, name: "" }, JSON.stringify({ data: null }));
  await discoverWhenIdle(tx, run);
  await saveRun(tx, engine, run, null);
}

async function retry(
  tx: Tx,
  engine: Engine,
  run: LockedRun,
  call: MadeCall,
  retryAfter: string | undefined,
  error: string,
): Promise<string> {
  const dueAtMs = retryAtMs(call.attempt, retryAfter, engine.timing, Date.now());
  await closeCall(tx, run, call.target);
  await openCall(tx, run, call.target, { attempt: call.attempt + 1, failures: 0, dueAtMs });
  return toWireError(JSON.parse(error), "").message;
}

/** After a call that did not reach the SDK. It counts no attempt; places in concurrency keys are given up meanwhile. */
async function callAgain(tx: Tx, run: LockedRun, call: MadeCall): Promise<void> {
  const { rows } = await tx.query<{ failures: number }>("select failures from call where run_id = $1 and target = $2", [
    run.id,
    call.target,
  ]);
  const failures = rows[0]?.failures ?? 0;
  await closeCall(tx, run, call.target);
  const dueAtMs = Date.now() + reconnectDelayMs(failures);
  await openCall(tx, run, call.target, { attempt: call.attempt, failures: failures + 1, dueAtMs });
}

async function callLater(tx: Tx, run: LockedRun, call: MadeCall, delayMs: number): Promise<void> {
  await closeCall(tx, run, call.target);
  await openCall(tx, run, call.target, { attempt: call.attempt, failures: 0, dueAtMs: Date.now() + delayMs });
}

async function failRun(tx: Tx, engine: Engine, run: LockedRun, reason: string): Promise<string> {
  engine.log(`executor: run ${run.id} of "${run.functionId}" failed: ${reason}`);
  await endRun(tx, engine, run, "failed", JSON.stringify({ name: "ExecutorError", message: reason }));
  return reason;
}

function isSpent(engine: Engine, call: MadeCall, answer: { isFinal: boolean }): boolean {
  const fn = engine.registry.functions.get(call.functionId);
  return answer.isFinal || call.attempt + 1 >= (fn?.maxAttempts ?? 1);
}

async function isPending(tx: Tx, run: LockedRun, stepId: string): Promise<boolean> {
  const { rows } = await tx.query("select 1 from step where run_id = $1 and id = $2 and completion is null", [
    run.id,
    stepId,
  ]);
  return rows.length === 1;
}
