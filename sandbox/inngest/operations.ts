import type { Engine } from "./engine.ts";
import { type CallResult, iso, type Op, printable, toWireError, type WireError } from "./protocol.ts";
import { DISCOVERY, type Draft, endRun, isBlocked, memoize, openCall, planStep, recordAttempt } from "./runs.ts";
import { reconnectDelayMs, retryDelayMs, sleepEndMs } from "./time.ts";

const KNOWN_OPS = ["StepRun", "StepError", "StepFailed", "StepPlanned", "Sleep", "RunComplete", "DiscoveryRequest"];
const MAX_MEMO_BYTES = 4 * 1024 * 1024;
const MAX_STEPS = 1_000;
const MISCONFIGURED_DELAY_MS = 10_000;
const UNKNOWN_FUNCTION_DELAY_MS = 2_000;
/** Within the range of PostgreSQL's timestamps. */
const MAX_SLEEP_MS = 1_000 * 366 * 86_400_000;

/** A completed call whose result is being applied; `attempt` counts from 0. */
interface CallContext {
  draft: Draft;
  engine: Engine;
  target: string;
  attempt: number;
  failures: number;
}

/** Applies the result of a call to its run. The call must still be open in the draft's base. */
export function applyCallResult(draft: Draft, engine: Engine, result: CallResult): void {
  const target = draft.closed;
  const { attempt = 0, failures = 0 } = draft.base.calls.get(target) ?? {};
  const problem = applyToRun({ draft, engine, target, attempt, failures }, result);
  draft.problem = problem === null ? null : printable(problem);
}

/** Returns what blocks the run, for display; null if nothing does. */
function applyToRun(call: CallContext, result: CallResult): string | null {
  const { draft, failures } = call;
  switch (result.kind) {
    case "unreachable":
      return repeatCall(call, result.reason, reconnectDelayMs(failures));
    case "misconfigured": {
      // Backs off slowly: a clock that was just corrected should not cause a long delay.
      const backoffMs = reconnectDelayMs(failures, MISCONFIGURED_DELAY_MS);
      return repeatCall(call, result.reason, result.isUnknownFunction ? UNKNOWN_FUNCTION_DELAY_MS : backoffMs);
    }
    case "unusable":
      return failRun(call, result.reason);
    case "finished":
      endRun(draft, "completed", result.output);
      return null;
    case "failed":
      if (!hasNoAttemptsLeft(call, result)) return retry(call, result.error, result.retryAfter);
      endRun(draft, "failed", JSON.stringify(result.error));
      return result.error.message;
    case "ops":
      return applyOps(call, result);
    default:
      return result satisfies never;
  }
}

function applyOps(call: CallContext, result: Extract<CallResult, { kind: "ops" }>): string | null {
  const { draft, target } = call;
  const knownBefore = draft.steps.size;
  const isLastAttempt = hasNoAttemptsLeft(call, result);
  for (const op of result.ops) {
    const unsupported = unsupportedReason(op);
    if (unsupported !== undefined) return failRun(call, unsupported);
    if (op.op === "RunComplete") {
      endRun(draft, "completed", JSON.stringify(op.data ?? null));
      return null;
    }
    const error = applyOp(call, op, isLastAttempt);
    if (error !== undefined) return retry(call, error, result.retryAfter);
  }
  if (draft.steps.size > MAX_STEPS) return failRun(call, `The run has more than ${MAX_STEPS} steps`);
  if (target !== DISCOVERY && draft.steps.get(target)?.memo === null) {
    return failRun(call, "The SDK returned other steps than the one it was called for");
  }
  const hasCompleted = draft.completions > draft.base.completions;
  const isRequested = target !== DISCOVERY || result.ops.some(({ op }) => op === "DiscoveryRequest");
  if (!hasCompleted && !isRequested && draft.steps.size === knownBefore && !isBlocked(draft)) {
    return failRun(call, "The SDK reported nothing new, so the run cannot continue");
  }
  if ((hasCompleted || isRequested) && !isBlocked(draft)) openCall(draft, DISCOVERY);
  return null;
}

/** Applies one op of the SDK. Returns the error if the call must be retried. */
function applyOp({ draft, attempt }: CallContext, op: Op, isLastAttempt: boolean): WireError | undefined {
  const step = { id: op.id, name: printable(op.displayName) };
  const attempted = { ...step, attempts: attempt + 1 };
  if (op.op === "StepRun") memoize(draft, attempted, JSON.stringify({ data: op.data ?? null }));
  if (op.op === "StepPlanned" && planStep(draft, step)) openCall(draft, op.id);
  if (op.op === "Sleep") {
    const endMs = Math.min(sleepEndMs(op.name, draft.nowMs) ?? draft.nowMs, draft.nowMs + MAX_SLEEP_MS);
    planStep(draft, { ...step, kind: "sleep", dueAt: iso(endMs) });
  }
  if (op.op !== "StepError" && op.op !== "StepFailed") return undefined;
  const error = toWireError(op.error, `Step "${op.displayName}" failed`);
  const failed = { ...attempted, error: printable(`${error.name}: ${error.message}`) };
  if (op.op === "StepFailed" || isLastAttempt) {
    memoize(draft, failed, JSON.stringify({ error }));
    return undefined;
  }
  recordAttempt(draft, failed);
  return error;
}

function unsupportedReason(op: Op): string | undefined {
  const step = `Step "${op.displayName}"`;
  if (!KNOWN_OPS.includes(op.op)) return `${step} needs "${op.op}", which this executor does not support`;
  if (op.op === "Sleep" && sleepEndMs(op.name, 0) === undefined) {
    return `${step} sleeps for "${op.name}", which is not a duration`;
  }
  if (op.opts.parallelMode === "race") return `${step} is part of a race, which this executor does not support`;
  if (op.op === "StepRun" && JSON.stringify(op.data ?? null).length > MAX_MEMO_BYTES) {
    return `${step} returned more than 4 MB`;
  }
  return undefined;
}

/** Repeats the call without counting an attempt. */
function repeatCall({ draft, target, attempt, failures }: CallContext, reason: string, delayMs: number): string {
  openCall(draft, target, { attempt, failures: failures + 1, delayMs });
  return reason;
}

function retry(call: CallContext, error: WireError, retryAfter: string | undefined): string {
  const { draft, engine, target, attempt } = call;
  const delayMs = retryDelayMs(attempt, retryAfter, engine.timing, draft.nowMs);
  openCall(draft, target, { attempt: attempt + 1, delayMs });
  return error.message;
}

function failRun({ draft, engine }: CallContext, reason: string): string {
  engine.log(`executor: run ${draft.base.id} of "${draft.base.functionId}" failed: ${reason}`);
  endRun(draft, "failed", JSON.stringify({ name: "ExecutorError", message: reason }));
  return reason;
}

function hasNoAttemptsLeft({ draft, engine, attempt }: CallContext, result: { isFinal: boolean }): boolean {
  return result.isFinal || attempt + 1 >= (engine.registry.functions.get(draft.base.functionId)?.maxAttempts ?? 1);
}
