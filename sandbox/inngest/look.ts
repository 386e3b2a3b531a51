import type { Engine } from "./engine.ts";
import { iso } from "./values.ts";

/** What there is to do. */
export interface DueWork {
  hasEvents: boolean;
  hasSteps: boolean;
  hasCalls: boolean;
  /** Calls are claimed by this executor that it does not know of: the answer to a commit was lost. */
  hasStrays: boolean;
  /** When the next thing comes due, in milliseconds. */
  nextDueMs: number | undefined;
}

/** A few looks into indexes: ten thousand sleeping runs cost no more than one. */
export async function lookForWork({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<DueWork> {
  const { rows } = await db.query<Omit<DueWork, "nextDueMs"> & { nextDue: Date | null }>(
    `select exists (select 1 from event where not routed) as "hasEvents",
       exists (select 1 from step where completion is null and due_at <= $1
         and (select status from run where run.id = step.run_id) = 'running') as "hasSteps",
       exists (select 1 from call where claimed_by is null and due_at <= $1) as "hasCalls",
       exists (select 1 from call where claimed_by = $2 and run_id <> all($3)) as "hasStrays",
       least((select min(due_at) from step where completion is null and due_at > $1),
         (select min(due_at) from call where claimed_by is null and due_at > $1)) as "nextDue"`,
    [iso(Date.now()), workerId, knownRuns],
  );
  const { nextDue = null, ...has } = rows[0] ?? {
    hasEvents: false,
    hasSteps: false,
    hasCalls: false,
    hasStrays: false,
  };
  return { ...has, nextDueMs: nextDue?.getTime() };
}

/** Gives back claimed calls of runs that nobody here follows. */
export async function releaseStrays({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<void> {
  await db.query("update call set claimed_by = null where claimed_by = $1 and run_id <> all($2)", [
    workerId,
    knownRuns,
  ]);
}

export const WAKE_BATCH = 500;

/** Ends up to WAKE_BATCH sleeps and waits that are due. @returns how many runs that let go on. */
export async function wakeDue({ db }: Engine): Promise<number> {
  const { rows } = await db.query<{ count: number }>("select wake_due($1, $2) as count", [iso(Date.now()), WAKE_BATCH]);
  return rows[0]?.count ?? 0;
}
