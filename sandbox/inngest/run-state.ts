import type { Queryable } from "./database.ts";

/** The target of a call that lets the function discover what comes next. */
export const DISCOVERY = "step";

/** What a decision needs to know of a step. */
export interface KnownStep {
  isDone: boolean;
  /** Whether the function goes on as soon as this one is done, whatever the others do. */
  isRace: boolean;
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
  hasParent: boolean;
  steps: ReadonlyMap<string, KnownStep>;
  calls: ReadonlyMap<string, OpenCall>;
  /** Results in the order of completion, which is the order the SDK wants its stack in; `memo` is JSON text. */
  memos: readonly { id: string; memo: string }[];
}

/** The columns of a row that `toRunState` understands; `run` and `event` must be in scope. */
export const RUN_STATE_COLUMNS = `run.id, run.function_id as "functionId", run.event_id as "eventId", run.version,
  run.generation, run.completions, event.body as event, run.parent_run_id is not null as "hasParent",
  (select json_agg(json_build_array(step.id, step.completion is not null, step.is_race, step.is_inline, step.memo)
     order by step.completion) from step where step.run_id = run.id) as steps,
  (select json_agg(json_build_array(call.target, call.generation, call.attempt, call.failures))
     from call where call.run_id = run.id) as calls`;

type StepColumns = [id: string, isDone: boolean, isRace: boolean, isInline: boolean, memo: string | null];
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
    steps: new Map(known.map(([id, isDone, isRace, isInline]) => [id, { isDone, isRace, isInline }])),
    calls: new Map(
      (calls ?? []).map(([target, generation, attempt, failures]) => [target, { generation, attempt, failures }]),
    ),
    memos: known.flatMap(([id, , , , memo]) => (memo === null ? [] : [{ id, memo }])),
  };
}
