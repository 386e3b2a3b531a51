import type { Queryable } from "./database.ts";
import { canonicalJson, FUNCTION_FAILED, iso, parseJson } from "./protocol.ts";
import type { RunStatus, StepKind } from "./reports.ts";

/** The target of a call that lets the function discover what comes next. */
export const DISCOVERY = "step";

/** What a decision needs to know of a step. */
interface KnownStep {
  isDone: boolean;
  /** It failed where it was discovered and is tried there again: nothing waits for it. */
  isInline: boolean;
}

/** An answer that the app owes. */
export interface OpenCall {
  generation: number;
  attempt: number;
  /** How often in a row it did not reach the SDK. */
  failures: number;
}

/** A running run as it was at one version of itself. */
export interface RunState {
  id: string;
  functionId: string;
  eventId: string;
  version: number;
  generation: number;
  completions: number;
  /** The event as JSON text. */
  event: string;
  steps: ReadonlyMap<string, KnownStep>;
  calls: ReadonlyMap<string, OpenCall>;
  /** Results in the order of completion, which is the order the SDK wants its stack in; `memo` is JSON text. */
  memos: readonly { id: string; memo: string }[];
}

/** The columns of a row that `toRunState` understands; `run` and `event` must be in scope. */
export const RUN_STATE_COLUMNS = `run.id, run.function_id as "functionId", run.event_id as "eventId", run.version,
  run.generation, run.completions, event.body as event,
  (select json_agg(json_build_array(step.id, step.completion is not null, step.is_inline, step.memo)
     order by step.completion) from step where step.run_id = run.id) as steps,
  (select json_agg(json_build_array(call.target, call.generation, call.attempt, call.failures))
     from call where call.run_id = run.id) as calls`;

type StepColumns = [id: string, isDone: boolean, isInline: boolean, memo: string | null];
type CallColumns = [target: string, generation: number, attempt: number, failures: number];

/** A row of `RUN_STATE_COLUMNS`. */
export interface RunStateRow extends Omit<RunState, "steps" | "calls" | "memos"> {
  steps: StepColumns[] | null;
  calls: CallColumns[] | null;
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
  const known = steps ?? [];
  return {
    ...row,
    steps: new Map(known.map(([id, isDone, isInline]) => [id, { isDone, isInline }])),
    calls: new Map(
      (calls ?? []).map(([target, generation, attempt, failures]) => [target, { generation, attempt, failures }]),
    ),
    memos: known.flatMap(([id, , , memo]) => (memo === null ? [] : [{ id, memo }])),
  };
}

/** What `version` says before the SDK has named its own, and after. */
const FIRST_CALL = -1;
const SPOKEN_VERSION = 2;

/**
 * The body of INNGEST.md §2, as canonical JSON: what is signed is what is sent. Without `ctx.fn_id` the SDK runs one
 * step per call instead of checkpointing; `events` is always filled, or a wrong function would run.
 */
export function callBody(state: RunState, target: string, maxAttempts: number): string {
  const stack = state.memos.map((memo) => memo.id);
  const event: unknown = JSON.parse(state.event);
  return canonicalJson({
    version: stack.length === 0 ? FIRST_CALL : SPOKEN_VERSION,
    event,
    events: [event],
    use_api: false,
    steps: Object.fromEntries(state.memos.map(({ id, memo }) => [id, JSON.parse(memo)])),
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

interface CallRow extends OpenCall {
  target: string;
  dueAt: string;
  claimedBy: string | null;
}

interface EventRow {
  id: string;
  dedupeId: string;
  name: string;
  body: string;
}

/** A run to start, see `start_runs`. */
export interface RunStart {
  id: string;
  functionId: string;
  eventId: string;
  lane: string;
  dueAt: string;
  /** Its place among those that are started together. */
  place: number;
}

/** A step to be planned or completed: what it is called, and what else is known about it. */
export interface StepFacts extends Partial<Omit<StepRow, "id" | "completion" | "memo">> {
  id: string;
}

/**
 * What was decided about a run on the ground of one state of it, not yet written. Pure until `saveDraft`: a decision
 * that comes too late is thrown away and made again on the newer state.
 */
export interface Draft {
  base: RunState;
  nowMs: number;
  generation: number;
  completions: number;
  status: RunStatus;
  output: string | null;
  problem: string | null;
  steps: Map<string, KnownStep>;
  memos: { id: string; memo: string }[];
  closed: string[];
  stepRows: Map<string, StepRow>;
  callRows: CallRow[];
  eventRows: EventRow[];
}

/** Begins a decision. */
export function draftOf(base: RunState, nowMs: number): Draft {
  const { generation, completions, steps, memos } = base;
  return {
    ...{ base, nowMs, generation, completions, status: "running", output: null, problem: null },
    ...{ steps: new Map(steps), memos: [...memos], closed: [] },
    ...{ stepRows: new Map(), callRows: [], eventRows: [] },
  };
}

const NEW_STEP: Omit<StepRow, "id"> = {
  ...{ name: "", kind: "run", isInline: false, dueAt: null },
  ...{ attempts: 0, error: null, completion: null, memo: null },
};

/** Writes a step's result; the first one wins. */
export function memoize(draft: Draft, step: StepFacts, memo: string): void {
  const known = draft.steps.get(step.id);
  if (known?.isDone) return;
  draft.completions += 1;
  draft.memos.push({ id: step.id, memo });
  draft.steps.set(step.id, { isInline: false, isDone: true });
  draft.stepRows.set(step.id, { ...NEW_STEP, ...step, completion: draft.completions, memo });
}

/** Plans a step that is answered later. @returns whether it is new. */
export function planStep(draft: Draft, step: StepFacts): boolean {
  if (draft.steps.has(step.id)) return false;
  const row = { ...NEW_STEP, ...step };
  draft.steps.set(step.id, { isDone: false, isInline: row.isInline });
  draft.stepRows.set(step.id, row);
  return true;
}

/** Notes a failed attempt of a step; where the step stands does not change. */
export function noteAttempt(draft: Draft, step: StepFacts): void {
  const known = draft.steps.get(step.id);
  if (known === undefined) planStep(draft, { ...step, isInline: true });
  else if (!known.isDone) draft.stepRows.set(step.id, { ...NEW_STEP, ...step });
}

/** Whether steps are left that the function cannot go on without. */
function isHeldUp(draft: Draft): boolean {
  return [...draft.steps.values()].some((step) => !step.isDone && !step.isInline);
}

/** Makes the app owe one more answer, or owe it again, under a new generation. */
export function openCall(
  draft: Draft,
  target: string,
  { attempt = 0, failures = 0, dueAtMs = draft.nowMs }: { attempt?: number; failures?: number; dueAtMs?: number } = {},
): void {
  draft.generation += 1;
  const row = { target, generation: draft.generation, attempt, failures, dueAt: iso(dueAtMs), claimedBy: null };
  draft.callRows = [...draft.callRows.filter((other) => other.target !== target), row];
}

/** Lets the function go on when nothing holds it up. */
export function discover(draft: Draft): void {
  if (!isHeldUp(draft)) openCall(draft, DISCOVERY);
}

/** Ends the run; whatever was still pending is dropped. `output` is JSON text: the return value or the error. */
export function endRun(draft: Draft, status: Exclude<RunStatus, "running">, output: string): void {
  Object.assign(draft, { status, output, callRows: [] });
  for (const [id, row] of draft.stepRows) if (row.completion === null) draft.stepRows.delete(id);
  const { base } = draft;
  const event = parseJson(base.event);
  // A failed handler of failures has none itself.
  if (status !== "failed" || Object(event).name === FUNCTION_FAILED) return;
  const data = { function_id: base.functionId, run_id: base.id, event, events: [event], error: parseJson(output) };
  const body = JSON.stringify({ id: base.id, name: FUNCTION_FAILED, data, ts: draft.nowMs });
  draft.eventRows.push({ id: base.id, dedupeId: base.id, name: FUNCTION_FAILED, body });
}

/**
 * Writes a draft if its run has not moved on meanwhile.
 * @param keepFor takes the first call that is due at once for this executor, so that nobody has to look for it.
 * @returns the run's new state and the call that was kept, or undefined when the draft came too late.
 */
export async function saveDraft(db: Queryable, draft: Draft, keepFor?: string): Promise<Saved | undefined> {
  const kept = keepFor === undefined ? undefined : draft.callRows.find((row) => row.dueAt <= iso(draft.nowMs));
  if (kept !== undefined && keepFor !== undefined) kept.claimedBy = keepFor;
  const { base, generation, completions, status, output, problem } = draft;
  const patch = {
    ...{ id: base.id, version: base.version, at: iso(draft.nowMs), generation, completions, status, output, problem },
    ...{ closed: draft.closed, steps: [...draft.stepRows.values()], calls: draft.callRows },
    events: draft.eventRows,
  };
  const { rows } = await db.query<{ saved: boolean }>("select save_run($1) as saved", [JSON.stringify(patch)]);
  if (rows[0]?.saved !== true) return undefined;
  const calls = new Map([...base.calls].filter(([target]) => !draft.closed.includes(target)));
  for (const row of draft.callRows) calls.set(row.target, row);
  const { steps, memos } = draft;
  const state = { ...base, version: base.version + 1, generation, completions, steps, memos, calls };
  return { state, target: kept?.target, isMoreDue: draft.callRows.length > (kept === undefined ? 0 : 1) };
}

/** What became of a draft that was written. */
export interface Saved {
  state: RunState;
  /** The call that was kept for this executor, if any. */
  target: string | undefined;
  /** Whether further calls were opened. */
  isMoreDue: boolean;
}
