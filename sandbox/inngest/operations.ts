import { reconnectDelayMs, retryDelayMs, wakeAtMs } from "./duration.ts";
import type { Engine } from "./engine.ts";
import { type Answer, iso, type Op, printable, toWireError, type WireError } from "./protocol.ts";
import { DISCOVERY, type Draft, endRun, isHeldUp, memoize, noteAttempt, openCall, planStep } from "./runs.ts";

const KNOWN_OPS = ["StepRun", "StepError", "StepFailed", "StepPlanned", "Sleep", "RunComplete", "DiscoveryRequest"];
const MAX_MEMO_BYTES = 4 * 1024 * 1024;
const MAX_STEPS = 1_000;
const MISCONFIGURED_DELAY_MS = 10_000;
const UNKNOWN_FUNCTION_DELAY_MS = 2_000;
/** No further away than PostgreSQL's own calendar bothers to go. */
const LONGEST_SLEEP_MS = 1_000 * 366 * 86_400_000;

/** An answered call that is being decided about; `attempt` counts from 0. */
interface Settling {
  draft: Draft;
  engine: Engine;
  target: string;
  attempt: number;
  failures: number;
}

/** Decides what an answer means for its run. The draft's base must still owe the call. */
export function settleCall(draft: Draft, engine: Engine, answer: Answer): void {
  const target = draft.closed;
  const { attempt = 0, failures = 0 } = draft.base.calls.get(target) ?? {};
  const problem = settle({ draft, engine, target, attempt, failures }, answer);
  draft.problem = problem === null ? null : printable(problem);
}

/** @returns what holds the run up, for people; null when nothing does. */
function settle(call: Settling, answer: Answer): string | null {
  const { draft, failures } = call;
  switch (answer.kind) {
    case "unreachable":
      return callAgain(call, answer.reason, reconnectDelayMs(failures));
    case "misconfigured": {
      // A clock that was just set right is no reason to wait long.
      const backoffMs = reconnectDelayMs(failures, MISCONFIGURED_DELAY_MS);
      return callAgain(call, answer.reason, answer.isUnknownFunction ? UNKNOWN_FUNCTION_DELAY_MS : backoffMs);
    }
    case "unusable":
      return failRun(call, answer.reason);
    case "finished":
      endRun(draft, "completed", answer.output);
      return null;
    case "failed":
      if (!isSpent(call, answer)) return retry(call, answer.error, answer.retryAfter);
      endRun(draft, "failed", JSON.stringify(answer.error));
      return answer.error.message;
    case "ops":
      return settleOps(call, answer);
    default:
      return answer satisfies never;
  }
}

function settleOps(call: Settling, answer: Extract<Answer, { kind: "ops" }>): string | null {
  const { draft, target } = call;
  const knownBefore = draft.steps.size;
  const isLastAttempt = isSpent(call, answer);
  for (const op of answer.ops) {
    const refusal = refuseOp(op);
    if (refusal !== undefined) return failRun(call, refusal);
    if (op.op === "RunComplete") {
      endRun(draft, "completed", JSON.stringify(op.data ?? null));
      return null;
    }
    const error = applyOp(call, op, isLastAttempt);
    if (error !== undefined) return retry(call, error, answer.retryAfter);
  }
  if (draft.steps.size > MAX_STEPS) return failRun(call, `The run has more than ${MAX_STEPS} steps`);
  if (target !== DISCOVERY && draft.steps.get(target)?.memo === null) {
    return failRun(call, "The SDK answered for other steps than the one it was asked to run");
  }
  const hasCompleted = draft.completions > draft.base.completions;
  const isAskedFor = target !== DISCOVERY || answer.ops.some(({ op }) => op === "DiscoveryRequest");
  if (!hasCompleted && !isAskedFor && draft.steps.size === knownBefore && !isHeldUp(draft)) {
    return failRun(call, "The SDK reported nothing new, so the run cannot go on");
  }
  if ((hasCompleted || isAskedFor) && !isHeldUp(draft)) openCall(draft, DISCOVERY);
  return null;
}

/** Applies one thing that the SDK reports. @returns the error for which the call is tried again, if that follows. */
function applyOp({ draft, attempt }: Settling, op: Op, isLastAttempt: boolean): WireError | undefined {
  const step = { id: op.id, name: printable(op.displayName) };
  const tried = { ...step, attempts: attempt + 1 };
  if (op.op === "StepRun") memoize(draft, tried, JSON.stringify({ data: op.data ?? null }));
  if (op.op === "StepPlanned" && planStep(draft, step)) openCall(draft, op.id);
  if (op.op === "Sleep") {
    const wakeMs = Math.min(wakeAtMs(op.name, draft.nowMs) ?? draft.nowMs, draft.nowMs + LONGEST_SLEEP_MS);
    planStep(draft, { ...step, kind: "sleep", dueAt: iso(wakeMs) });
  }
  if (op.op !== "StepError" && op.op !== "StepFailed") return undefined;
  const error = toWireError(op.error, `Step "${op.displayName}" failed`);
  const failed = { ...tried, error: printable(`${error.name}: ${error.message}`) };
  if (op.op === "StepFailed" || isLastAttempt) {
    memoize(draft, failed, JSON.stringify({ error }));
    return undefined;
  }
  noteAttempt(draft, failed);
  return error;
}

/** @returns a sentence when this executor cannot do what the op asks for. */
function refuseOp(op: Op): string | undefined {
  const step = `Step "${op.displayName}"`;
  if (!KNOWN_OPS.includes(op.op)) return `${step} needs "${op.op}", which this executor does not support`;
  if (op.op === "Sleep" && wakeAtMs(op.name, 0) === undefined) {
    return `${step} sleeps for "${op.name}", which is no duration`;
  }
  if (op.opts.parallelMode === "race") return `${step} is part of a race, which this executor does not support`;
  if (op.op === "StepRun" && JSON.stringify(op.data ?? null).length > MAX_MEMO_BYTES) {
    return `${step} returned more than 4 MB`;
  }
  return undefined;
}

/** Makes the call again, without counting an attempt. */
function callAgain({ draft, target, attempt, failures }: Settling, reason: string, delayMs: number): string {
  openCall(draft, target, { attempt, failures: failures + 1, delayMs });
  return reason;
}

function retry(call: Settling, error: WireError, retryAfter: string | undefined): string {
  const { draft, engine, target, attempt } = call;
  const delayMs = retryDelayMs(attempt, retryAfter, engine.timing, draft.nowMs);
  openCall(draft, target, { attempt: attempt + 1, delayMs });
  return error.message;
}

function failRun({ draft, engine }: Settling, reason: string): string {
  engine.log(`executor: run ${draft.base.id} of "${draft.base.functionId}" failed: ${reason}`);
  endRun(draft, "failed", JSON.stringify({ name: "ExecutorError", message: reason }));
  return reason;
}

function isSpent({ draft, engine, attempt }: Settling, answer: { isFinal: boolean }): boolean {
  return answer.isFinal || attempt + 1 >= (engine.registry.functions.get(draft.base.functionId)?.maxAttempts ?? 1);
}
