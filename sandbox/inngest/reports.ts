import type { Engine } from "./engine.ts";
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

/** A run for people to look at. */
export interface RunReport {
  id: string;
  functionId: string;
  event: string;
  status: "running" | "completed" | "failed";
  startedAt: string;
  endedAt: string | null;
  steps: readonly { name: string; kind: string; state: "done" | "failed" | "pending" }[];
  /** Calls made or planned so far, and the highest attempt among the open ones, from 1. */
  calls: number;
  attempt: number;
  /** What holds it up, or why it failed. */
  error: string | null;
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

/** The newest runs first. */
export async function listRuns({ db }: Engine, limit: number): Promise<RunReport[]> {
  const { rows } = await db.query<Omit<RunReport, "startedAt" | "endedAt" | "error" | "steps"> & RunRow>(
    `select run.id, run.function_id as "functionId", event.name as event, run.status, run.generation as calls,
       run.started_at as "startedAt", run.ended_at as "endedAt", run.problem, run.output,
       coalesce((select max(attempt) + 1 from call where call.run_id = run.id), 0) as attempt,
       coalesce((select json_agg(json_build_object('name', step.name, 'kind', step.kind, 'state',
           case when completion is null then 'pending' when memo like '{"error":%' then 'failed' else 'done' end)
           order by completion nulls last) from step where step.run_id = run.id), '[]') as steps
     from run join event on event.id = run.event_id order by run.started_at desc, run.id desc limit $1`,
    [limit],
  );
  return rows.map(({ startedAt, endedAt, problem, output, ...run }) => ({
    ...run,
    startedAt: iso(startedAt.getTime()),
    endedAt: endedAt === null ? null : iso(endedAt.getTime()),
    error: run.status === "failed" ? failureOf(output) : problem,
  }));
}

interface RunRow {
  startedAt: Date;
  endedAt: Date | null;
  problem: string | null;
  output: string | null;
  steps: RunReport["steps"];
}

/** Name and message only: stacks hold paths of the machine that built the app. */
function failureOf(output: string | null): string {
  const error = parseJson(output ?? "");
  return isRecord(error) ? `${String(error.name)}: ${String(error.message)}` : "failed";
}
