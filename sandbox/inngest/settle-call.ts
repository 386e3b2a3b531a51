import { type Answer, type Op, toWireError } from "./answer.ts";
import { applyOp, refuseOp } from "./apply-op.ts";
import { type Draft, discover, endRun, openCall } from "./draft.ts";
import { reconnectDelayMs, retryAtMs } from "./duration.ts";
import type { Engine } from "./engine.ts";
import { isHeard } from "./listeners.ts";
import { DISCOVERY } from "./run-state.ts";
import { printable } from "./values.ts";

const MAX_STEPS = 1_000;
const MISCONFIGURED_DELAY_MS = 10_000;
const UNKNOWN_FUNCTION_DELAY_MS = 2_000;

/** Decides what an answer means for its run. The draft's base must still owe the call. */
export function settleCall(draft: Draft, engine: Engine, target: string, answer: Answer): void {
  draft.closed.push(target);
  const problem = settle(draft, engine, target, answer);
  draft.problem = problem === null ? null : printable(problem);
}

/** @returns what holds the run up, for people; null when nothing does. */
function settle(draft: Draft, engine: Engine, target: string, answer: Answer): string | null {
  const { attempt = 0, failures = 0 } = draft.base.calls.get(target) ?? {};
  switch (answer.kind) {
    case "unreachable":
      openCall(draft, target, {
        ...{ attempt, failures: failures + 1, dueAtMs: draft.nowMs + reconnectDelayMs(failures) },
      });
      return answer.reason;
    case "misconfigured": {
      // A clock that was just set right is no reason to wait long.
      const backoffMs = Math.min(250 * 2 ** Math.min(failures, 10), MISCONFIGURED_DELAY_MS);
      const delayMs = answer.isUnknownFunction ? UNKNOWN_FUNCTION_DELAY_MS : backoffMs;
      openCall(draft, target, { attempt, failures: failures + 1, dueAtMs: draft.nowMs + delayMs });
      return answer.reason;
    }
    case "unusable":
      return failRun(draft, engine, answer.reason);
    case "finished":
      endRun(draft, "completed", answer.output, isHeard(engine));
      return null;
    case "failed":
      if (!isSpent(draft, engine, target, answer)) return retry(draft, engine, target, answer);
      endRun(draft, "failed", JSON.stringify(answer.error), isHeard(engine));
      return answer.error.message;
    case "ops":
      return settleOps(draft, engine, target, answer);
    default:
      return answer satisfies never;
  }
}

function settleOps(
  draft: Draft,
  engine: Engine,
  target: string,
  answer: Extract<Answer, { kind: "ops" }>,
): string | null {
  const before = draft.completions + draft.steps.size;
  const attempt = (draft.base.calls.get(target)?.attempt ?? 0) + 1;
  const isFinal = isSpent(draft, engine, target, answer);
  for (const op of answer.ops) {
    const refusal = refuseOp(op);
    if (refusal !== undefined) return failRun(draft, engine, refusal);
    const outcome = applyOp(draft, engine, op, { isFinal, attempt });
    if (outcome === "over") return null;
    if (outcome !== "settled") return retry(draft, engine, target, { error: outcome, retryAfter: answer.retryAfter });
  }
  if (draft.steps.size > MAX_STEPS) return failRun(draft, engine, `The run has more than ${MAX_STEPS} steps`);
  return target === DISCOVERY
    ? goOnAfterDiscovery(draft, engine, answer.ops, before)
    : goOnAfterStep(draft, engine, target);
}

function goOnAfterStep(draft: Draft, engine: Engine, target: string): string | null {
  const step = draft.steps.get(target);
  if (step !== undefined && !step.isDone) {
    return failRun(draft, engine, "The SDK answered for other steps than the one it was asked to run");
  }
  discover(draft, step?.isRace ?? false);
  return null;
}

function goOnAfterDiscovery(draft: Draft, engine: Engine, ops: readonly Op[], before: number): string | null {
  const isAskedFor = ops.some((op) => op.op === "DiscoveryRequest");
  const isNothingNew = draft.completions + draft.steps.size === before;
  if (isNothingNew && !isAskedFor && !hasPending(draft)) {
    return failRun(draft, engine, "The SDK reported nothing new, so the run cannot go on");
  }
  // With only a race under way, its next step asks again; asking now would find the same.
  const hasCompleted = draft.completions > draft.base.completions;
  if (hasCompleted || isAskedFor) discover(draft, false);
  return null;
}

function hasPending(draft: Draft): boolean {
  return [...draft.steps.values()].some((step) => !step.isDone && !step.isInline);
}

function retry(
  draft: Draft,
  engine: Engine,
  target: string,
  { error, retryAfter }: { error: unknown; retryAfter: string | undefined },
): string {
  const attempt = draft.base.calls.get(target)?.attempt ?? 0;
  openCall(draft, target, {
    attempt: attempt + 1,
    dueAtMs: retryAtMs(attempt, retryAfter, engine.timing, draft.nowMs),
  });
  return toWireError(error, "").message;
}

function failRun(draft: Draft, engine: Engine, reason: string): string {
  engine.log(`executor: run ${draft.base.id} of "${draft.base.functionId}" failed: ${reason}`);
  endRun(draft, "failed", JSON.stringify({ name: "ExecutorError", message: reason }), isHeard(engine));
  return reason;
}

function isSpent(draft: Draft, engine: Engine, target: string, answer: { isFinal: boolean }): boolean {
  const { functionId, calls } = draft.base;
  const attempt = calls.get(target)?.attempt ?? 0;
  return answer.isFinal || attempt + 1 >= (engine.registry.functions.get(functionId)?.maxAttempts ?? 1);
}
