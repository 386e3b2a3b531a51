import type { Engine } from "./engine.ts";
import {
  type CallReport,
  OUTPUT_CHARACTERS,
  type RunDetail,
  type RunPage,
  type RunReport,
  type RunStatus,
  type StepDetail,
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
  /** Calls that are due or being made, that are due later, that wait for a concurrency key; running runs. */
  queue: { due: number; scheduled: number; waiting: number; running: number };
}

/** Reads the executor's state. */
export async function readHealth({ db, registry }: Engine): Promise<Health> {
  const { rows } = await db.query<Health["queue"]>(
    `select count(*) filter (where due_at <= $1 and not waits)::int as due,
       count(*) filter (where due_at > $1)::int as scheduled, count(*) filter (where waits)::int as waiting,
       (select count(*)::int from run where status = 'running') as running
     from call left join lateral (
       select coalesce(bool_or(not held), false) as waits from slot where slot.run_id = call.run_id and slot.target = call.target
     ) slots on true`,
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
    queue: rows[0] ?? { due: 0, scheduled: 0, waiting: 0, running: 0 },
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
  const { rows } = await db.query<RunRow & { eventId: string; eventBody: string }>(
    `select ${RUN_COLUMNS}, event.id as "eventId", event.body as "eventBody"
     from run join event on event.id = run.event_id where run.id = $1`,
    [id],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const steps = await db.query<StepRow>(
    `select id, name, kind, ${STEP_STATE} as state, memo from step where run_id = $1 order by completion nulls last`,
    [id],
  );
  const calls = await db.query<Omit<CallReport, "dueAt" | "state"> & { dueAt: Date }>(
    `select target, attempt + 1 as attempt, due_at as "dueAt" from call where run_id = $1 order by due_at`,
    [id],
  );
  return {
    ...toReport(row),
    eventId: row.eventId,
    eventBody: cut(row.eventBody),
    output: row.status === "completed" && row.output !== null ? cut(row.output) : null,
    steps: steps.rows.map(toStep),
    openCalls: calls.rows.map((call) => ({
      ...call,
      dueAt: iso(call.dueAt.getTime()),
      state: call.dueAt.getTime() > Date.now() ? "scheduled" : "due",
    })),
    parentRunId: null,
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
}

function toReport(row: RunRow): Omit<RunReport, "steps"> {
  const { id, functionId, event, status, calls, attempt } = row;
  return {
    ...{ id, functionId, event, status, calls, attempt },
    startedAt: iso(row.startedAt.getTime()),
    endedAt: row.endedAt === null ? null : iso(row.endedAt.getTime()),
    error: status === "failed" ? failureOf(row.output) : row.problem,
  };
}

function toStep({ memo, ...step }: StepRow): StepDetail {
  const result = parseJson(memo ?? "");
  const error = isRecord(result) && "error" in result ? failureOf(JSON.stringify(result.error)) : null;
  const output = isRecord(result) && "data" in result ? cut(JSON.stringify(result.data)) : null;
  const waitsFor = step.state === "pending" ? (step.kind === "run" ? "an answer of the app" : "its time") : null;
  return { ...step, attempts: step.kind === "run" && memo !== null ? 1 : 0, dueAt: null, waitsFor, output, error };
}

function cut(text: string): string {
  return text.length > OUTPUT_CHARACTERS ? `${text.slice(0, OUTPUT_CHARACTERS)}…` : text;
}

/** Name and message only: stacks hold paths of the machine that built the app. */
function failureOf(output: string | null): string {
  const error = parseJson(output ?? "");
  return isRecord(error) ? `${String(error.name)}: ${String(error.message)}` : "failed";
}
