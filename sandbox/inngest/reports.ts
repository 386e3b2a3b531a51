import type { Engine } from "./engine.ts";
import {
  type CallReport,
  OUTPUT_CHARACTERS,
  type RunDetail,
  type RunPage,
  type RunReport,
  type RunStatus,
  type StepDetail,
  type StepKind,
  type StepReport,
} from "./run-report.ts";
import { iso, isRecord, parseJson } from "./values.ts";

/** What `GET /health` says. */
export interface Health {
  ready: boolean;
  synced: boolean;
  syncedAt: string | null;
  functions: readonly string[];
  problems: readonly string[];
  /** Calls that are due, due later, being made; steps that sleep or wait; running runs. */
  queue: { due: number; scheduled: number; inFlight: number; sleeping: number; running: number };
}

/** Reads the executor's state. */
export async function readHealth({ db, registry }: Engine): Promise<Health> {
  const { rows } = await db.query<Health["queue"]>(
    `select count(*) filter (where claimed_by is null and due_at <= $1)::int as due,
       count(*) filter (where claimed_by is null and due_at > $1)::int as scheduled,
       count(*) filter (where claimed_by is not null)::int as "inFlight",
       (select count(*)::int from step where completion is null and kind <> 'run') as sleeping,
       (select count(*)::int from run where status = 'running') as running
     from call`,
    [iso(Date.now())],
  );
  const { syncedAtMs, failure } = registry;
  const synced = syncedAtMs !== undefined;
  const problems = [...registry.problems, ...(failure === undefined ? [] : [failure])];
  return {
    ready: synced && registry.problems.length === 0,
    synced,
    syncedAt: synced ? iso(syncedAtMs) : null,
    functions: [...registry.functions.keys()],
    problems,
    queue: rows[0] ?? { due: 0, scheduled: 0, inFlight: 0, sleeping: 0, running: 0 },
  };
}

/** Which runs to list. */
export interface RunFilter {
  limit: number;
  status?: RunStatus | undefined;
  functionId?: string | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

const STEP_STATE =
  "case when completion is null then 'pending' when memo like '{\"error\":%' then 'failed' else 'done' end";
const RUN_COLUMNS = `run.id, run.function_id as "functionId", event.name as event, run.status, run.generation as calls,
  run.started_at as "startedAt", run.ended_at as "endedAt", run.problem, run.output,
  coalesce((select max(attempt) + 1 from call where call.run_id = run.id), 0) as attempt`;

/** The newest runs first. Ids are ULIDs of the start, so they are their own order. */
export async function listRuns({ db }: Engine, filter: RunFilter): Promise<RunPage> {
  const { limit, status = null, functionId = null, cursor = null } = filter;
  const { rows } = await db.query<RunRow & { steps: RunReport["steps"] }>(
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

/** Everything about one run; undefined when there is none. */
export async function readRun({ db }: Engine, id: string): Promise<RunDetail | undefined> {
  const { rows } = await db.query<RunRow & { eventId: string; eventBody: string; parentRunId: string | null }>(
    `select ${RUN_COLUMNS}, run.parent_run_id as "parentRunId", event.id as "eventId", event.body as "eventBody"
     from run join event on event.id = run.event_id where run.id = $1`,
    [id],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const steps = await db.query<StepRow>(
    `select id, name, kind, ${STEP_STATE} as state, memo, attempts, error, due_at as "dueAt", wait_event as "waitEvent"
     from step where run_id = $1 order by completion nulls last`,
    [id],
  );
  const calls = await db.query<Omit<CallReport, "dueAt"> & { dueAt: Date }>(
    `select target, attempt + 1 as attempt, due_at as "dueAt",
       case when claimed_by is not null then 'in flight' when due_at > $2 then 'scheduled' else 'due' end as state from call where run_id = $1 order by due_at`,
    [id, iso(Date.now())],
  );
  return {
    ...toReport(row),
    eventId: row.eventId,
    eventBody: cut(row.eventBody),
    output: row.status === "completed" && row.output !== null ? cut(row.output) : null,
    steps: steps.rows.map(toStep),
    openCalls: calls.rows.map((call) => ({ ...call, dueAt: iso(call.dueAt.getTime()) })),
    parentRunId: row.parentRunId,
  };
}

interface RunRow extends Omit<RunReport, "startedAt" | "endedAt" | "error" | "steps"> {
  startedAt: Date;
  endedAt: Date | null;
  problem: string | null;
  output: string | null;
}

interface StepRow extends StepReport {
  id: string;
  memo: string | null;
  attempts: number;
  error: string | null;
  dueAt: Date | null;
  waitEvent: string | null;
}

function toReport(row: RunRow): Omit<RunReport, "steps"> {
  const { id, functionId, event, status, calls, attempt } = row;
  return {
    ...{ id, functionId, event, status, calls, attempt },
    startedAt: iso(row.startedAt.getTime()),
    endedAt: row.endedAt === null ? null : iso(row.endedAt.getTime()),
    error: status === "failed" || status === "cancelled" ? failureOf(row.output) : row.problem,
  };
}

function toStep({ memo, dueAt, waitEvent, ...step }: StepRow): StepDetail {
  const result = parseJson(memo ?? "");
  const failure = isRecord(result) && "error" in result ? failureOf(JSON.stringify(result.error)) : null;
  const output = isRecord(result) && "data" in result ? cut(JSON.stringify(result.data)) : null;
  const waitsFor = step.state === "pending" ? waitsForIn(step.kind, waitEvent) : null;
  const ends = dueAt === null ? null : iso(dueAt.getTime());
  return { ...step, dueAt: ends, waitsFor, output, error: failure ?? step.error };
}

function waitsForIn(kind: StepKind, waitEvent: string | null): string {
  if (kind === "wait") return `the event ${waitEvent}`;
  if (kind === "invoke") return "the function it invoked";
  return kind === "sleep" ? "its time" : "an answer of the app";
}

function cut(text: string): string {
  return text.length > OUTPUT_CHARACTERS ? `${text.slice(0, OUTPUT_CHARACTERS)}…` : text;
}

/** Name and message only: stacks hold paths of the machine that built the app. */
function failureOf(output: string | null): string {
  const error = parseJson(output ?? "");
  return isRecord(error) ? `${String(error.name)}: ${String(error.message)}` : "failed";
}
