import { type Op, toWireError } from "./answer.ts";
import { type Draft, endRun, memoize, noteAttempt, openCall, planStep, type StepFacts } from "./draft.ts";
import { wakeAtMs } from "./duration.ts";
import type { Engine } from "./engine.ts";
import { parseExpression } from "./expression.ts";
import { laneOf } from "./lane.ts";
import { isHeard } from "./listeners.ts";
import { FUNCTION_INVOKED } from "./names.ts";
import { ulid } from "./ulid.ts";
import { iso, isRecord, messageOf, printable } from "./values.ts";

/** "settled", "over" when the run has ended, or the error for which the call is tried again. */
export type Outcome = "settled" | "over" | { name: string; message: string };

const KNOWN_OPS = new Set([
  ...["StepRun", "StepError", "StepFailed", "StepPlanned", "Sleep", "WaitForEvent", "InvokeFunction"],
  ...["RunComplete", "DiscoveryRequest"],
]);
const MAX_MEMO_BYTES = 4 * 1024 * 1024;
const YEAR_MS = 366 * 86_400_000;

/** Applies one thing that the SDK reports. `attempt` counts from 1; `isFinal` says that no other one follows. */
export function applyOp(
  draft: Draft,
  engine: Engine,
  op: Op,
  { isFinal, attempt }: { isFinal: boolean; attempt: number },
): Outcome {
  const step = { id: op.id, name: printable(op.displayName), isRace: op.opts.parallelMode === "race" };
  const tried = { ...step, attempts: attempt };
  switch (op.op) {
    case "StepRun":
      memoize(draft, tried, JSON.stringify({ data: op.data ?? null }));
      return "settled";
    case "StepError":
    case "StepFailed": {
      const error = toWireError(op.error, `Step "${op.displayName}" failed`);
      const failed = { ...tried, error: printable(`${error.name}: ${error.message}`) };
      if (op.op === "StepError" && !isFinal) {
        noteAttempt(draft, failed);
        return error;
      }
      memoize(draft, failed, JSON.stringify({ error }));
      return "settled";
    }
    case "StepPlanned":
      if (planStep(draft, step)) openCall(draft, op.id);
      return "settled";
    case "Sleep":
      planStep(draft, { ...step, kind: "sleep", dueAt: iso(dueAtMs(op.name, draft.nowMs)) });
      return "settled";
    case "WaitForEvent":
      planWait(draft, step, op);
      return "settled";
    case "InvokeFunction":
      invoke(draft, engine, step, op);
      return "settled";
    case "RunComplete":
      endRun(draft, "completed", JSON.stringify(op.data ?? null), isHeard(engine));
      return "over";
    default:
      return "settled";
  }
}

/** @returns a sentence when this executor cannot do what the op asks for. */
export function refuseOp(op: Op): string | undefined {
  const step = `Step "${op.displayName}"`;
  if (!KNOWN_OPS.has(op.op)) return `${step} needs "${op.op}", which this executor does not support`;
  if (op.op === "Sleep" && wakeAtMs(op.name, 0) === undefined)
    return `${step} sleeps for "${op.name}", which is no duration`;
  const { timeout } = op.opts;
  if (op.op === "WaitForEvent" || op.op === "InvokeFunction") {
    const isTime = typeof timeout === "string" && wakeAtMs(timeout, 0) !== undefined;
    if (!isTime && !(op.op === "InvokeFunction" && timeout === undefined))
      return `${step} has the timeout "${timeout}", which is no duration`;
  }
  if (op.op === "WaitForEvent" && typeof op.opts.if === "string") {
    try {
      parseExpression(op.opts.if);
    } catch (error) {
      return `${step} waits for an event with a condition that this executor does not support: ${messageOf(error)}`;
    }
  }
  if (op.op === "StepRun" && JSON.stringify(op.data ?? null).length > MAX_MEMO_BYTES)
    return `${step} returned more than 4 MB`;
  return undefined;
}

function planWait(draft: Draft, step: StepFacts, op: Op): void {
  planStep(draft, {
    ...step,
    kind: "wait",
    waitEvent: printable(op.name),
    waitIf: typeof op.opts.if === "string" ? printable(op.opts.if) : null,
    dueAt: iso(dueAtMs(String(op.opts.timeout), draft.nowMs)),
  });
}

/** Starts the other function's run in the same transaction; its end comes back as an event. */
function invoke(draft: Draft, engine: Engine, step: StepFacts, { opts }: Op): void {
  if (draft.steps.has(step.id)) return;
  const fn = engine.registry.functions.get(String(opts.function_id));
  if (fn === undefined) {
    const error = { name: "Error", message: printable(`There is no function "${opts.function_id}" to invoke`) };
    memoize(draft, { ...step, kind: "invoke", error: error.message }, JSON.stringify({ error }));
    return;
  }
  const { timeout } = opts;
  const error = {
    name: "InngestInvokeTimeoutError",
    message: "Timed out waiting for the invoked function to complete",
  };
  planStep(draft, {
    ...step,
    kind: "invoke",
    waitEvent: null,
    dueAt: typeof timeout === "string" ? iso(dueAtMs(timeout, draft.nowMs)) : null,
    timeoutMemo: JSON.stringify({ error }),
  });
  const payload = isRecord(opts.payload) ? opts.payload : {};
  const id = ulid(draft.nowMs);
  const data = isRecord(payload.data) ? payload.data : {};
  const user = isRecord(payload.user) ? { user: payload.user } : {};
  const event = { id, name: FUNCTION_INVOKED, data, ...user, ts: draft.nowMs };
  const body = JSON.stringify(event);
  draft.eventRows.push({ id, dedupeId: id, name: event.name, body, isRouted: true, onlyIfAwaited: false });
  draft.runStarts.push({
    ...{ id: ulid(draft.nowMs), functionId: fn.id, eventId: id, lane: laneOf(fn, event), dueAt: iso(draft.nowMs) },
    ...{ place: 0, parentRun: draft.base.id, parentStep: step.id },
  });
}

/** No further away than PostgreSQL's own calendar bothers to go. */
function dueAtMs(text: string, nowMs: number): number {
  return Math.min(wakeAtMs(text, nowMs) ?? nowMs, nowMs + 1_000 * YEAR_MS);
}
