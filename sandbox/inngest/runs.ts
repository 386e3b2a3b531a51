import { parseJson } from "#sandbox/kit/values.ts";
import type { Queryable } from "./database.ts";
import { canonicalJson, FUNCTION_FAILED, iso, SDK_PROTOCOL_VERSION } from "./protocol.ts";

export const RUN_STATUSES = ["running", "completed", "failed"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** `run` runs code of the app; `sleep` waits. */
export type StepKind = "run" | "sleep";

/** The target of a call that lets the function discover its next steps. */
export const DISCOVERY = "step";

/** A step, as far as decisions depend on it. */
interface KnownStep {
  /** It failed where it was discovered and is retried there, so nothing waits for it. */
  isInline: boolean;
  /** Its result as JSON text; null until there is one. */
  memo: string | null;
}

/** A call whose result is outstanding. */
interface OpenCall {
  generation: number;
  attempt: number;
  /** Consecutive failures to reach the SDK. */
  failures: number;
}

/** A running run at one version. */
export interface RunState {
  id: string;
  functionId: string;
  version: number;
  generation: number;
  completions: number;
  /** The event as JSON text. */
  event: string;
  /** Completed steps are in order of completion, as the SDK expects its stack. */
  steps: ReadonlyMap<string, KnownStep>;
  calls: ReadonlyMap<string, OpenCall>;
}

/** The columns that `toRunState` reads; `run` and `event` must be in scope. */
export const RUN_STATE_COLUMNS = `run.id, run.function_id as "functionId", run.version, run.generation,
  run.completions, event.body as event,
  (select json_agg(json_build_array(step.id, json_build_object('isInline', step.is_inline, 'memo', step.memo))
     order by step.completion) from step where step.run_id = run.id) as steps,
  (select json_agg(json_build_array(call.target, json_build_object('generation', call.generation,
     'attempt', call.attempt, 'failures', call.failures))) from call where call.run_id = run.id) as calls`;

export interface RunStateRow extends Omit<RunState, "steps" | "calls"> {
  steps: [string, KnownStep][] | null;
  calls: [string, OpenCall][] | null;
}

/** Reads a running run in one statement, hence one snapshot; undefined if it has ended. */
export async function readRunState(db: Queryable, runId: string): Promise<RunState | undefined> {
  const { rows } = await db.query<RunStateRow>(
    `select ${RUN_STATE_COLUMNS} from run join event on event.id = run.event_id
     where run.id = $1 and run.status = 'running'`,
    [runId],
  );
  return rows[0] === undefined ? undefined : toRunState(rows[0]);
}

export function toRunState({ steps, calls, ...row }: RunStateRow): RunState {
  return { ...row, steps: new Map(steps), calls: new Map(calls) };
}

/** The protocol version before and after the SDK has reported its own. */
const FIRST_CALL = -1;

/**
 * The request body as canonical JSON, because it is signed as sent. Without `ctx.fn_id` the SDK runs one step per call
 * instead of checkpointing; `events` must be filled, or the wrong function would run.
 */
export function callBody(state: RunState, target: string, maxAttempts: number): string {
  const memos = [...state.steps].flatMap(([id, { memo }]) => (memo === null ? [] : [[id, JSON.parse(memo)] as const]));
  const stack = memos.map(([id]) => id);
  const event: unknown = JSON.parse(state.event);
  return canonicalJson({
    version: stack.length === 0 ? FIRST_CALL : SDK_PROTOCOL_VERSION,
    event,
    events: [event],
    use_api: false,
    steps: Object.fromEntries(memos),
    ctx: {
      run_id: state.id,
      attempt: state.calls.get(target)?.attempt ?? 0,
      max_attempts: maxAttempts,
      disable_immediate_execution: target !== DISCOVERY,
      use_api: false,
      stack: { stack, current: stack.length },
      step_id: target,
    },
  });
}

interface StepRow {
  id: string;
  name: string;
  kind: StepKind;
  isInline: boolean;
  dueAt: string | null;
  attempts: number;
  error: string | null;
  completion: number | null;
  memo: string | null;
}

type StepInput = Pick<StepRow, "id" | "name"> & Partial<Pick<StepRow, "kind" | "dueAt" | "attempts" | "error">>;

/**
 * A decision based on one state of a run, not written yet. Nothing happens until `saveDraft`; a decision that comes too
 * late is discarded and made again on the newer state.
 */
export interface Draft {
  base: RunState;
  closed: string;
  nowMs: number;
  generation: number;
  completions: number;
  status: RunStatus;
  output: string | null;
  problem: string | null;
  steps: Map<string, KnownStep>;
  stepRows: Map<string, StepRow>;
  callRows: Map<string, OpenCall & { target: string; dueAt: string; claimedBy: string | null }>;
  /** The body of the event that reports the run's failure. */
  failureEvent: string | null;
}

export function createDraft(base: RunState, target: string, nowMs: number): Draft {
  const { generation, completions, steps } = base;
  return {
    ...{ base, closed: target, nowMs, generation, completions, status: "running", output: null, problem: null },
    ...{ steps: new Map(steps), stepRows: new Map(), callRows: new Map(), failureEvent: null },
  };
}

const NEW_STEP: Omit<StepRow, "id" | "name"> = {
  kind: "run",
  isInline: false,
  dueAt: null,
  attempts: 0,
  error: null,
  completion: null,
  memo: null,
};

/** Stores a step's result as JSON text; the first one wins. */
export function memoize(draft: Draft, step: StepInput, memo: string): void {
  const known = draft.steps.get(step.id);
  if (known !== undefined && known.memo !== null) return;
  draft.completions += 1;
  // Deleted first, so that the latest completion comes last.
  draft.steps.delete(step.id);
  draft.steps.set(step.id, { isInline: false, memo });
  draft.stepRows.set(step.id, { ...NEW_STEP, ...step, completion: draft.completions, memo });
}

/** Plans a step that completes later. Returns whether it is new. */
export function planStep(draft: Draft, step: StepInput, isInline = false): boolean {
  if (draft.steps.has(step.id)) return false;
  draft.steps.set(step.id, { isInline, memo: null });
  draft.stepRows.set(step.id, { ...NEW_STEP, ...step, isInline });
  return true;
}

/** Records a failed attempt of a step without changing its position. */
export function recordAttempt(draft: Draft, step: StepInput): void {
  const isNew = planStep(draft, step, true);
  if (!isNew && draft.steps.get(step.id)?.memo === null) draft.stepRows.set(step.id, { ...NEW_STEP, ...step });
}

/** Opens a call, or opens it again, under a new generation. */
export function openCall(
  draft: Draft,
  target: string,
  { attempt = 0, failures = 0, delayMs = 0 }: { attempt?: number; failures?: number; delayMs?: number } = {},
): void {
  draft.generation += 1;
  const { generation, nowMs } = draft;
  const dueAt = iso(nowMs + delayMs);
  draft.callRows.set(target, { target, generation, attempt, failures, dueAt, claimedBy: null });
}

/** Whether the function must wait for unfinished steps. */
export function isBlocked(draft: Draft): boolean {
  return [...draft.steps.values()].some(({ memo, isInline }) => memo === null && !isInline);
}

/** Ends the run and drops what is pending. `output` is JSON text: the return value or the error. */
export function endRun(draft: Draft, status: Exclude<RunStatus, "running">, output: string): void {
  Object.assign(draft, { status, output });
  draft.callRows.clear();
  for (const [id, row] of draft.stepRows) if (row.completion === null) draft.stepRows.delete(id);
  const { id, functionId, event: body } = draft.base;
  const event = parseJson(body);
  // A failure handler that fails triggers no other handler.
  if (status !== "failed" || Object(event).name === FUNCTION_FAILED) return;
  const data = { function_id: functionId, run_id: id, event, events: [event], error: parseJson(output) };
  draft.failureEvent = JSON.stringify({ id, name: FUNCTION_FAILED, data, ts: draft.nowMs });
}

export interface Saved {
  state: RunState;
  target: string | undefined;
  hasMoreDue: boolean;
}

/**
 * Writes a draft; undefined if its run has changed meanwhile. Claims the first call that is due now for `claimFor`, so
 * that it need not be polled.
 */
export async function saveDraft(db: Queryable, draft: Draft, claimFor?: string): Promise<Saved | undefined> {
  const { base, closed, nowMs, generation, completions, status, output, problem, steps, failureEvent } = draft;
  const opened = [...draft.callRows.values()];
  const claimed = claimFor === undefined ? undefined : opened.find((row) => row.dueAt <= iso(nowMs));
  if (claimed !== undefined && claimFor !== undefined) claimed.claimedBy = claimFor;
  const patch = {
    ...{ id: base.id, version: base.version, at: iso(nowMs), generation, completions, status, output, problem },
    ...{ closed, steps: [...draft.stepRows.values()], calls: opened, failureEvent },
  };
  const { rows } = await db.query<{ saved: boolean }>("select save_run($1) as saved", [JSON.stringify(patch)]);
  if (rows[0]?.saved !== true) return undefined;
  const calls = new Map<string, OpenCall>(base.calls);
  calls.delete(closed);
  for (const row of opened) calls.set(row.target, row);
  const state = { ...base, version: base.version + 1, generation, completions, steps, calls };
  return { state, target: claimed?.target, hasMoreDue: opened.length > (claimed === undefined ? 0 : 1) };
}
