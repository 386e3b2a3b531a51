import { isObject, parseJson } from "#sandbox/kit/values.ts";
import type { Engine } from "./engine.ts";
import { iso } from "./protocol.ts";
import type { RunStatus, StepKind } from "./runs.ts";

/*
 * GET /v1/runs?status=&function=&limit=&cursor= returns {runs: RunReport[], nextCursor}, newest first, or 400 {error}.
 * GET /v1/runs/:id returns RunDetail, or 404 {error}. Times are ISO 8601 in UTC.
 */

export type RunPage = Awaited<ReturnType<typeof listRuns>>;
export type RunReport = RunPage["runs"][number];
export type RunDetail = NonNullable<Awaited<ReturnType<typeof readRun>>>;

interface StepReport {
  name: string;
  kind: StepKind;
  state: "pending" | "done" | "failed";
}

/** Longer JSON texts are truncated and end in "…". */
const OUTPUT_CHARACTERS = 4_000;

/** The executor's state. `queue` counts calls by due, scheduled and in flight, sleeping steps, and running runs. */
export async function readHealth({ db, registry }: Engine) {
  const { rows } = await db.query<Record<"due" | "scheduled" | "inFlight" | "sleeping" | "running", number>>(
    `select count(*) filter (where claimed_by is null and due_at <= $1)::int as due,
       count(*) filter (where claimed_by is null and due_at > $1)::int as scheduled,
       count(*) filter (where claimed_by is not null)::int as "inFlight",
       (select count(*)::int from step where completion is null and kind = 'sleep') as sleeping,
       (select count(*)::int from run where status = 'running') as running
     from call`,
    [iso(Date.now())],
  );
  const { functions, problems, syncedAtMs, failure } = registry;
  const synced = syncedAtMs !== undefined;
  return {
    ready: synced && problems.length === 0,
    synced,
    syncedAt: synced ? iso(syncedAtMs) : null,
    functions: [...functions.keys()],
    problems: failure === undefined ? problems : [...problems, failure],
    queue: rows[0] ?? { due: 0, scheduled: 0, inFlight: 0, sleeping: 0, running: 0 },
  };
}

export interface RunFilter {
  limit: number;
  status?: RunStatus | undefined;
  functionId?: string | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

const STEP_STATE =
  "case when completion is null then 'pending' when memo like '{\"error\":%' then 'failed' else 'done' end";
const RUN_COLUMNS = `run.id, run.function_id as "functionId", event.name as event, run.status, run.generation as calls,
  run.started_at as "startedAt", run.ended_at as "endedAt", run.problem, run.output,
  coalesce((select max(attempt) + 1 from call where call.run_id = run.id), 0) as attempt`;

interface RunRow {
  id: string;
  functionId: string;
  event: string;
  status: RunStatus;
  /** Made or scheduled so far. */
  calls: number;
  /** The highest attempt among the open calls, from 1; 0 if there is none. */
  attempt: number;
  startedAt: Date;
  endedAt: Date | null;
  problem: string | null;
  output: string | null;
}

interface StepRow extends StepReport {
  id: string;
  /** Attempts so far; 0 for a sleep or a step that has not run yet. */
  attempts: number;
  dueAt: Date | null;
  memo: string | null;
  error: string | null;
}

interface CallRow {
  /** "step" for a call that continues the function, otherwise the id of the step to run. */
  target: string;
  attempt: number;
  dueAt: Date;
  state: "scheduled" | "due" | "in flight";
}

/** Lists runs, newest first. Ids are ULIDs, so they sort by start. */
export async function listRuns({ db }: Engine, filter: RunFilter) {
  const { limit, status = null, functionId = null, cursor = null } = filter;
  const { rows } = await db.query<RunRow & { steps: readonly StepReport[] }>(
    `select ${RUN_COLUMNS}, coalesce((select json_agg(json_build_object('name', name, 'kind', kind, 'state', ${STEP_STATE})
         order by completion nulls last) from step where step.run_id = run.id), '[]') as steps
     from run join event on event.id = run.event_id
     where ($2::text is null or run.status = $2) and ($3::text is null or run.function_id = $3)
       and ($4::text is null or run.id < $4) order by run.id desc limit $1 + 1`,
    [limit, status, functionId, cursor],
  );
  const runs = rows.slice(0, limit).map((row) => ({ ...toReport(row), steps: row.steps }));
  return { runs, nextCursor: rows.length > limit ? (runs.at(-1)?.id ?? null) : null };
}

/** Returns a run with its steps and open calls; undefined if it does not exist. */
export async function readRun({ db }: Engine, id: string) {
  const found = await db.query<RunRow & { eventId: string; eventBody: string }>(
    `select ${RUN_COLUMNS}, event.id as "eventId", event.body as "eventBody"
     from run join event on event.id = run.event_id where run.id = $1`,
    [id],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const steps = await db.query<StepRow>(
    `select id, name, kind, ${STEP_STATE} as state, memo, attempts, error, due_at as "dueAt"
     from step where run_id = $1 order by completion nulls last`,
    [id],
  );
  const calls = await db.query<CallRow>(
    `select target, attempt + 1 as attempt, due_at as "dueAt",
       case when claimed_by is not null then 'in flight' when due_at > $2 then 'scheduled' else 'due' end as state
     from call where run_id = $1 order by due_at`,
    [id, iso(Date.now())],
  );
  return {
    ...toReport(row),
    ...{ eventId: row.eventId, eventBody: cut(row.eventBody) },
    output: row.status === "completed" && row.output !== null ? cut(row.output) : null,
    steps: steps.rows.map(toStep),
    openCalls: calls.rows.map((call) => ({ ...call, dueAt: iso(call.dueAt.getTime()) })),
  };
}

/** `error` is what blocks the run, or why it failed. */
function toReport({ id, functionId, event, status, calls, attempt, ...row }: RunRow) {
  return {
    ...{ id, functionId, event, status, calls, attempt },
    startedAt: iso(row.startedAt.getTime()),
    endedAt: row.endedAt === null ? null : iso(row.endedAt.getTime()),
    error: status === "failed" ? failureOf(parseJson(row.output ?? "")) : row.problem,
  };
}

function toStep({ memo, dueAt, ...step }: StepRow) {
  const parsed = parseJson(memo ?? "");
  const result = isObject(parsed) ? parsed : {};
  const waitsFor = step.kind === "sleep" ? "its due time" : "a response from the app";
  return {
    ...step,
    dueAt: dueAt === null ? null : iso(dueAt.getTime()),
    waitsFor: step.state === "pending" ? waitsFor : null,
    output: "data" in result ? cut(JSON.stringify(result.data)) : null,
    error: "error" in result ? failureOf(result.error) : step.error,
  };
}

function cut(text: string): string {
  return text.length > OUTPUT_CHARACTERS ? `${text.slice(0, OUTPUT_CHARACTERS)}…` : text;
}

/** Name and message only: stacks contain paths of the build machine. */
function failureOf(error: unknown): string {
  return isObject(error) ? `${String(error.name)}: ${String(error.message)}` : "failed";
}
