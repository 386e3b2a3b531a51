import type { Tx } from "./database.ts";
import { iso } from "./values.ts";

/** Do this next: call the app, end a sleep, or match new events with functions. */
export type Job =
  | { task: "advance"; payload: { runId: string; target: string; generation: number }; runAtMs: number }
  | { task: "wake"; payload: { runId: string; stepId: string }; runAtMs: number }
  | { task: "route"; payload: { eventIds: readonly string[] }; runAtMs: number };

/** A job is never given up by the queue itself: attempts that count are kept with the call. */
export const MAX_DELIVERIES = 32_767;

/** What the queue takes first: bookkeeping is quick and lets others begin, a call may take minutes. */
const PRIORITY: Record<Job["task"], number> = { route: -1, wake: -1, advance: 0 };

/** Adds jobs in the caller's transaction; they become visible with its commit. */
export async function enqueue(tx: Tx, queueSchema: string, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    task: job.task,
    payload: job.payload,
    run_at: iso(job.runAtMs),
    priority: PRIORITY[job.task],
  }));
  await tx.query(
    `select count(*) from ${queueSchema}.add_jobs((
       select array_agg(row(j.task, j.payload, null, j.run_at, ${MAX_DELIVERIES}, null, j.priority, null)::${queueSchema}.job_spec)
       from json_to_recordset($1::json) as j(task text, payload json, run_at timestamptz, priority int)))`,
    [JSON.stringify(rows)],
  );
}
