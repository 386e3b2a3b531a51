import { html } from "hono/html";
import type { Engine } from "./engine.ts";
import { iso, isRecord, parseJson } from "./protocol.ts";

/**
 * What the executor tells about its runs, for its own page, the sandbox console and tests. Times are ISO 8601 in UTC.
 *
 *   GET /v1/runs?status=&function=&limit=&cursor=   → RunPage, the newest first
 *   GET /v1/runs/:id                                → RunDetail, or 404 {error}
 *
 * `status` is one of RUN_STATUSES, `function` a whole function id ("app-publish-pin"), `limit` 1 to 500 (100),
 * `cursor` the `nextCursor` of the page before. Anything else is 400 {error}.
 */

/** How a run can stand. */
export const RUN_STATUSES = ["running", "completed", "failed"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** `run` runs code of the app; `sleep` waits for its time. */
export type StepKind = "run" | "sleep";
type StepState = "pending" | "done" | "failed";

/** One step of a run in a list. */
interface StepReport {
  name: string;
  kind: StepKind;
  state: StepState;
}

/** A run in a list. */
export interface RunReport {
  id: string;
  functionId: string;
  /** Name of the event that started it. */
  event: string;
  status: RunStatus;
  startedAt: string;
  endedAt: string | null;
  /** Completed ones in the order of their completion, then the pending ones. */
  steps: readonly StepReport[];
  /** Calls made or planned so far. */
  calls: number;
  /** The highest attempt among the calls that are owed an answer, from 1; 0 when there is none. */
  attempt: number;
  /** What holds it up, or why it failed; name and message only. */
  error: string | null;
}

/** One page of runs. */
interface RunPage {
  runs: readonly RunReport[];
  /** Give it as `cursor` to read on; null on the last page. */
  nextCursor: string | null;
}

/** One step of one run, with what is known of it. */
interface StepDetail extends StepReport {
  id: string;
  /** How often it was tried so far; 0 when it has no code of the app, or was not tried yet. */
  attempts: number;
  /** When a sleep ends. */
  dueAt: string | null;
  /** What a pending step waits for, in words; null when it is done. */
  waitsFor: string | null;
  /** Its result as JSON text, cut after OUTPUT_CHARACTERS. */
  output: string | null;
  /** The error it ended with, or the one of its last attempt. */
  error: string | null;
}

/** An answer that the app owes. */
interface CallReport {
  /** "step" for a call that lets the function go on, otherwise the id of the step to run. */
  target: string;
  /** From 1. */
  attempt: number;
  dueAt: string;
  state: "scheduled" | "due" | "in flight";
}

/** Everything about one run. */
export interface RunDetail extends Omit<RunReport, "steps"> {
  eventId: string;
  /** The whole event as JSON text, cut after OUTPUT_CHARACTERS. */
  eventBody: string;
  /** What the function returned, as JSON text, cut likewise. */
  output: string | null;
  steps: readonly StepDetail[];
  openCalls: readonly CallReport[];
}

/** Longer JSON texts are cut and end in "…". */
const OUTPUT_CHARACTERS = 4_000;

/** What `GET /health` says. */
interface Health {
  ready: boolean;
  synced: boolean;
  syncedAt: string | null;
  functions: readonly string[];
  problems: readonly string[];
  /** Calls that are due, due later, being made; steps that sleep; running runs. */
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
    `select ${RUN_COLUMNS}, event.id as "eventId", event.body as "eventBody"
     from run join event on event.id = run.event_id where run.id = $1`,
    [id],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const steps = await db.query<StepRow>(
    `select id, name, kind, ${STEP_STATE} as state, memo, attempts, error, due_at as "dueAt"
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

function toStep({ memo, dueAt, ...step }: StepRow): StepDetail {
  const result = parseJson(memo ?? "");
  const failure = isRecord(result) && "error" in result ? failureOf(JSON.stringify(result.error)) : null;
  const output = isRecord(result) && "data" in result ? cut(JSON.stringify(result.data)) : null;
  const waitsFor = step.state === "pending" ? waitsForIn(step.kind) : null;
  const ends = dueAt === null ? null : iso(dueAt.getTime());
  return { ...step, dueAt: ends, waitsFor, output, error: failure ?? step.error };
}

function waitsForIn(kind: StepKind): string {
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

const STYLE = `
  :root { color-scheme: light dark; --ink: light-dark(#23251f, #ecebe4); --paper: light-dark(#faf8f3, #191b17);
    --line: light-dark(#dcd8cc, #383b33); --bad: light-dark(#a3261b, #ff9a8b); --good: light-dark(#1f5c3a, #86d3a6); }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
  .scroll { overflow-x: auto; } code { font-size: .85em; overflow-wrap: anywhere; } .failed { color: var(--bad); } .completed { color: var(--good); }`;

/** The operators' page: functions, queue, newest runs. */
export function renderPage(health: Health, runs: readonly RunReport[]) {
  const { due, scheduled, inFlight, sleeping, running } = health.queue;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Durable executor</title>
        <style>${STYLE}</style>
      </head>
      <body>
        <main>
          <h1>Durable executor</h1>
          <p class="${health.ready ? "completed" : "failed"}">${health.ready ? "Ready." : "Not ready."}</p>
          ${health.problems.map((problem) => html`<p class="failed" role="alert">${problem}</p>`)}
          <p>${running} runs, ${inFlight} calls under way, ${due} due, ${scheduled} later, ${sleeping} steps asleep.</p>
          <h2>Functions</h2>
          <ul>${health.functions.map((id) => html`<li><code>${id}</code></li>`)}</ul>
          <h2 id="runs">Newest runs</h2>
          <div class="scroll" role="region" aria-labelledby="runs" tabindex="0">
            <table>
              <thead><tr><th scope="col">Started</th><th scope="col">Function</th><th scope="col">Status</th>
                <th scope="col">Steps</th><th scope="col">Attempt</th><th scope="col">Error</th></tr></thead>
              <tbody>${runs.map(renderRun)}</tbody>
            </table>
          </div>
        </main>
      </body>
    </html>`;
}

function renderRun(run: RunReport) {
  const steps = run.steps.map((step) => (step.state === "done" ? step.name : `${step.name} (${step.state})`));
  return html`<tr>
    <td><time datetime="${run.startedAt}">${run.startedAt.slice(0, 19).replace("T", " ")}</time></td>
    <td><code>${run.functionId}</code><br />${run.event}<br /><code>${run.id}</code></td>
    <td class="${run.status}">${run.status}</td>
    <td>${steps.length === 0 ? "none" : steps.join(", ")}</td>
    <td>${run.attempt === 0 ? "" : run.attempt}</td>
    <td class="failed">${run.error ?? ""}</td>
  </tr>`;
}
