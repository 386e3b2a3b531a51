import { reconnectDelayMs, retryAtMs, wakeAtMs } from "./duration.ts";
import type { Engine } from "./engine.ts";
import { type Answer, iso, messageOf, type Op, printable, toWireError } from "./protocol.ts";
import type { ClaimedCall } from "./queue.ts";
import {
  callBody,
  DISCOVERY,
  type Draft,
  discover,
  draftOf,
  endRun,
  memoize,
  noteAttempt,
  type OpenCall,
  openCall,
  planStep,
  type RunState,
  readRunState,
  type Saved,
  saveDraft,
} from "./runs.ts";

/** "settled", "over" when the run has ended, or the error for which the call is tried again. */
type Outcome = "settled" | "over" | { name: string; message: string };

const KNOWN_OPS = new Set([
  ...["StepRun", "StepError", "StepFailed", "StepPlanned", "Sleep"],
  ...["RunComplete", "DiscoveryRequest"],
]);
const MAX_MEMO_BYTES = 4 * 1024 * 1024;
const YEAR_MS = 366 * 86_400_000;

/** Applies one thing that the SDK reports. `attempt` counts from 1; `isFinal` says that no other one follows. */
function applyOp(draft: Draft, op: Op, { isFinal, attempt }: { isFinal: boolean; attempt: number }): Outcome {
  const step = { id: op.id, name: printable(op.displayName) };
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
    case "RunComplete":
      endRun(draft, "completed", JSON.stringify(op.data ?? null));
      return "over";
    default:
      return "settled";
  }
}

/** @returns a sentence when this executor cannot do what the op asks for. */
function refuseOp(op: Op): string | undefined {
  const step = `Step "${op.displayName}"`;
  if (!KNOWN_OPS.has(op.op)) return `${step} needs "${op.op}", which this executor does not support`;
  if (op.op === "Sleep" && wakeAtMs(op.name, 0) === undefined)
    return `${step} sleeps for "${op.name}", which is no duration`;
  if (op.opts.parallelMode === "race") return `${step} is part of a race, which this executor does not support`;
  if (op.op === "StepRun" && JSON.stringify(op.data ?? null).length > MAX_MEMO_BYTES)
    return `${step} returned more than 4 MB`;
  return undefined;
}

/** No further away than PostgreSQL's own calendar bothers to go. */
function dueAtMs(text: string, nowMs: number): number {
  return Math.min(wakeAtMs(text, nowMs) ?? nowMs, nowMs + 1_000 * YEAR_MS);
}

const MAX_STEPS = 1_000;
const MISCONFIGURED_DELAY_MS = 10_000;
const UNKNOWN_FUNCTION_DELAY_MS = 2_000;

/** Decides what an answer means for its run. The draft's base must still owe the call. */
function settleCall(draft: Draft, engine: Engine, target: string, answer: Answer): void {
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
      endRun(draft, "completed", answer.output);
      return null;
    case "failed":
      if (!isSpent(draft, engine, target, answer)) return retry(draft, engine, target, answer);
      endRun(draft, "failed", JSON.stringify(answer.error));
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
    const outcome = applyOp(draft, op, { isFinal, attempt });
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
  discover(draft);
  return null;
}

function goOnAfterDiscovery(draft: Draft, engine: Engine, ops: readonly Op[], before: number): string | null {
  const isAskedFor = ops.some((op) => op.op === "DiscoveryRequest");
  const isNothingNew = draft.completions + draft.steps.size === before;
  if (isNothingNew && !isAskedFor && !hasPending(draft)) {
    return failRun(draft, engine, "The SDK reported nothing new, so the run cannot go on");
  }
  const hasCompleted = draft.completions > draft.base.completions;
  if (hasCompleted || isAskedFor) discover(draft);
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
  endRun(draft, "failed", JSON.stringify({ name: "ExecutorError", message: reason }));
  return reason;
}

function isSpent(draft: Draft, engine: Engine, target: string, answer: { isFinal: boolean }): boolean {
  const { functionId, calls } = draft.base;
  const attempt = calls.get(target)?.attempt ?? 0;
  return answer.isFinal || attempt + 1 >= (engine.registry.functions.get(functionId)?.maxAttempts ?? 1);
}

/** Who follows a run. */
export interface Follower {
  /** The name under which calls are claimed. */
  workerId: string;
  /** Cuts the call that is being made; what it answers does not count then. */
  signal: AbortSignal;
  /** Whether a run of this function may keep its place for its next call, because it takes none from anybody. */
  mayGoOn(functionId: string): boolean;
  /** Calls were opened that somebody has to look for. */
  onMoreDue(): void;
}

/** After an error that is our own fault, so that the call is neither lost nor made all the time. */
const MISHAP_DELAY_MS = 10_000;

/** Makes a call, and then those that follow from it. Never throws. */
export async function followRun(engine: Engine, follower: Follower, first: ClaimedCall): Promise<void> {
  let current = first;
  try {
    for (;;) {
      const next = await makeCall(engine, follower, current);
      if (next === undefined) return;
      current = next;
    }
  } catch (error) {
    await mishap(engine, follower.workerId, current, error);
  }
}

/** @returns the call that follows at once, if this follower may go on with it. */
async function makeCall(
  engine: Engine,
  { workerId, signal, mayGoOn, onMoreDue }: Follower,
  { state, target }: ClaimedCall,
): Promise<ClaimedCall | undefined> {
  const answer = await askApp(engine, state, target, signal);
  if (signal.aborted) return undefined;
  const keepFor = mayGoOn(state.functionId) ? workerId : undefined;
  const saved = await engine.db.persist(() => settleAnswer(engine, state, target, answer, keepFor));
  if (saved?.isMoreDue) onMoreDue();
  return saved?.target === undefined ? undefined : { target: saved.target, state: saved.state };
}

async function askApp(engine: Engine, state: RunState, target: string, signal: AbortSignal): Promise<Answer> {
  const { id, functionId } = state;
  const fn = engine.registry.functions.get(functionId);
  if (fn === undefined) {
    const reason = `The app has no function "${functionId}" any more`;
    return { kind: "misconfigured", reason, isUnknownFunction: true };
  }
  return engine.app.call(functionId, target, id, callBody(state, target, fn.maxAttempts), signal);
}

/** Decides on the newest state, for as long as others write to the run; a call that is stale by then changes nothing. */
async function settleAnswer(
  engine: Engine,
  asked: RunState,
  target: string,
  answer: Answer,
  keepFor: string | undefined,
): Promise<Saved | undefined> {
  if (answer.kind === "misconfigured") {
    if (answer.isUnknownFunction) engine.requestSync();
    else engine.log(`executor: ${answer.reason}`);
  }
  const generation = asked.calls.get(target)?.generation;
  let state: RunState | undefined = asked;
  while (state !== undefined) {
    const owed: OpenCall | undefined = state.calls.get(target);
    if (owed === undefined || owed.generation !== generation) return undefined;
    const draft = draftOf(state, Date.now());
    settleCall(draft, engine, target, answer);
    const saved = await saveDraft(engine.db, draft, keepFor);
    if (saved !== undefined) return saved;
    state = await readRunState(engine.db, state.id);
  }
  return undefined;
}

/** What we did not foresee must not lose a run: its call is made again later. */
async function mishap(engine: Engine, workerId: string, { state, target }: ClaimedCall, error: unknown): Promise<void> {
  engine.log(`executor: run ${state.id} of "${state.functionId}" met an unforeseen error: ${messageOf(error)}`);
  try {
    await engine.db.persist(() =>
      engine.db.query(
        "update call set claimed_by = null, due_at = $4 where run_id = $1 and target = $2 and claimed_by = $3",
        [state.id, target, workerId, iso(Date.now() + MISHAP_DELAY_MS)],
      ),
    );
  } catch (problem) {
    engine.log(`executor: the call of run ${state.id} to "${target}" stays claimed: ${messageOf(problem)}`);
  }
}
