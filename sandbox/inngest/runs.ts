import type { Queryable } from "./database.ts";
import { canonicalJson, FUNCTION_FAILED, iso, parseJson } from "./protocol.ts";

/** How a run can stand. */
export const RUN_STATUSES = ["running", "completed", "failed"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** `run` runs code of the app; `sleep` waits for its time. */
export type StepKind = "run" | "sleep";

/** The target of a call that lets the function discover what comes next. */
export const DISCOVERY = "step";

/** What a decision needs to know of a step. */
interface KnownStep {
  /** It failed where it was discovered and is tried there again: nothing waits for it. */
  isInline: boolean;
  /** Its result as JSON text; null as long as there is none. */
  memo: string | null;
}

/** An answer that the app owes. */
interface OpenCall {
  generation: number;
  attempt: number;
  /** How often in a row it did not reach the SDK. */
  failures: number;
}

/** A running run as it was at one version of itself. */
export interface RunState {
  id: string;
  functionId: string;
  version: number;
  generation: number;
  completions: number;
  /** The event as JSON text. */
  event: string;
  /** Those that are done stand in the order of completion, which is the order the SDK wants its stack in. */
  steps: ReadonlyMap<string, KnownStep>;
  calls: ReadonlyMap<string, OpenCall>;
}

/** The columns of a row that `toRunState` understands; `run` and `event` must be in scope. */
export const RUN_STATE_COLUMNS = `run.id, run.function_id as "functionId", run.version, run.generation,
  run.completions, event.body as event,
  (select json_agg(json_build_array(step.id, json_build_object('isInline', step.is_inline, 'memo', step.memo))
     order by step.completion) from step where step.run_id = run.id) as steps,
  (select json_agg(json_build_array(call.target, json_build_object('generation', call.generation,
     'attempt', call.attempt, 'failures', call.failures))) from call where call.run_id = run.id) as calls`;

/** A row of `RUN_STATE_COLUMNS`. */
export interface RunStateRow extends Omit<RunState, "steps" | "calls"> {
  steps: [string, KnownStep][] | null;
  calls: [string, OpenCall][] | null;
}

/** Reads a running run in one statement, hence one snapshot; undefined when it is over. */
export async function readRunState(db: Queryable, runId: string): Promise<RunState | undefined> {
  const { rows } = await db.query<RunStateRow>(
    `select ${RUN_STATE_COLUMNS} from run join event on event.id = run.event_id
     where run.id = $1 and run.status = 'running'`,
    [runId],
  );
  return rows[0] === undefined ? undefined : toRunState(rows[0]);
}

/** @param row what a statement with `RUN_STATE_COLUMNS` returned. */
export function toRunState({ steps, calls, ...row }: RunStateRow): RunState {
  return { ...row, steps: new Map(steps), calls: new Map(calls) };
}

/** What `version` says before the SDK has named its own, and after. */
const FIRST_CALL = -1;
const SPOKEN_VERSION = 2;

/**
 * The body of INNGEST.md §2, as canonical JSON: what is signed is what is sent. Without `ctx.fn_id` the SDK runs one
 * step per call instead of checkpointing; `events` is always filled, or a wrong function would run.
 */
export function callBody(state: RunState, target: string, maxAttempts: number): string {
  const memos = [...state.steps].flatMap(([id, { memo }]) => (memo === null ? [] : [[id, JSON.parse(memo)] as const]));
  const stack = memos.map(([id]) => id);
  const event: unknown = JSON.parse(state.event);
  return canonicalJson({
    version: stack.length === 0 ? FIRST_CALL : SPOKEN_VERSION,
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

/** A step as it is written. */
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

/** A step to be planned or completed: what it is called, and what else is known about it. */
type StepFacts = Pick<StepRow, "id" | "name"> & Partial<Pick<StepRow, "kind" | "dueAt" | "attempts" | "error">>;

/**
 * What was decided about a run on the ground of one state of it, not yet written. Pure until `saveDraft`: a decision
 * that comes too late is thrown away and made again on the newer state.
 */
export interface Draft {
  base: RunState;
  /** The call that was answered and is owed no more. */
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
  /** The body of the event that tells of the run's failure. */
  failureEvent: string | null;
}

/** Begins a decision about the answer to the call of `target`. */
export function draftOf(base: RunState, target: string, nowMs: number): Draft {
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

/** Writes a step's result, as JSON text; the first one wins. */
export function memoize(draft: Draft, step: StepFacts, memo: string): void {
  const known = draft.steps.get(step.id);
  if (known !== undefined && known.memo !== null) return;
  draft.completions += 1;
  // Deleted first: what was completed last must stand last.
  draft.steps.delete(step.id);
  draft.steps.set(step.id, { isInline: false, memo });
  draft.stepRows.set(step.id, { ...NEW_STEP, ...step, completion: draft.completions, memo });
}

/** Plans a step that is answered later. @returns whether it is new. */
export function planStep(draft: Draft, step: StepFacts, isInline = false): boolean {
  if (draft.steps.has(step.id)) return false;
  draft.steps.set(step.id, { isInline, memo: null });
  draft.stepRows.set(step.id, { ...NEW_STEP, ...step, isInline });
  return true;
}

/** Notes a failed attempt of a step; where the step stands does not change. */
export function noteAttempt(draft: Draft, step: StepFacts): void {
  const isNew = planStep(draft, step, true);
  if (!isNew && draft.steps.get(step.id)?.memo === null) draft.stepRows.set(step.id, { ...NEW_STEP, ...step });
}

/** Makes the app owe one more answer, or owe it again, under a new generation. */
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

/** Whether steps are left that the function cannot go on without. */
export function isHeldUp(draft: Draft): boolean {
  return [...draft.steps.values()].some(({ memo, isInline }) => memo === null && !isInline);
}

/** Ends the run; whatever was still pending is dropped. `output` is JSON text: the return value or the error. */
export function endRun(draft: Draft, status: Exclude<RunStatus, "running">, output: string): void {
  Object.assign(draft, { status, output });
  draft.callRows.clear();
  for (const [id, row] of draft.stepRows) if (row.completion === null) draft.stepRows.delete(id);
  const { id, functionId, event: body } = draft.base;
  const event = parseJson(body);
  // A failed handler of failures has none itself.
  if (status !== "failed" || Object(event).name === FUNCTION_FAILED) return;
  const data = { function_id: functionId, run_id: id, event, events: [event], error: parseJson(output) };
  draft.failureEvent = JSON.stringify({ id, name: FUNCTION_FAILED, data, ts: draft.nowMs });
}

/** What became of a draft that was written. */
export interface Saved {
  state: RunState;
  /** The call that was kept for this executor, if any. */
  target: string | undefined;
  /** Whether further calls were opened. */
  isMoreDue: boolean;
}

/**
 * Writes a draft if its run has not moved on meanwhile.
 * @param keepFor takes the first call that is due at once for this executor, so that nobody has to look for it.
 * @returns the run's new state and the call that was kept, or undefined when the draft came too late.
 */
export async function saveDraft(db: Queryable, draft: Draft, keepFor?: string): Promise<Saved | undefined> {
  const { base, closed, nowMs, generation, completions, status, output, problem, steps, failureEvent } = draft;
  const opened = [...draft.callRows.values()];
  const kept = keepFor === undefined ? undefined : opened.find((row) => row.dueAt <= iso(nowMs));
  if (kept !== undefined && keepFor !== undefined) kept.claimedBy = keepFor;
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
  return { state, target: kept?.target, isMoreDue: opened.length > (kept === undefined ? 0 : 1) };
}
