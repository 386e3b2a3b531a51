import type { Engine } from "./engine.ts";
import { iso } from "./values.ts";

const DAY_MS = 86_400_000;
/** Few enough for one statement's time, however much there is in all. */
const BATCH = 1_000;

const OLD_RUNS = "delete from run where id = any(array(select id from run where ended_at < $1 limit $2))";
const OLD_EVENTS = `delete from event where id = any(array(
  select id from event where received_at < $1 and routed
    and not exists (select 1 from run where run.event_id = event.id) limit $2))`;

/** Deletes runs that ended more than `keepDays` ago, and events that old which no run is left of; in batches. */
export async function sweep({ db }: Engine, keepDays: number, signal: AbortSignal): Promise<void> {
  const before = iso(Date.now() - Math.max(keepDays, 1) * DAY_MS);
  for (const statement of [OLD_RUNS, OLD_EVENTS]) {
    let deleted: number | null = BATCH;
    while (deleted === BATCH && !signal.aborted) deleted = (await db.query(statement, [before, BATCH])).rowCount;
  }
}
