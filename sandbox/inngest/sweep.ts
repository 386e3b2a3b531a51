import type { Engine } from "./engine.ts";
import { iso } from "./values.ts";

const DAY_MS = 86_400_000;

/** Deletes runs that ended more than `keepDays` ago, and events that old which no run is left of. */
export async function sweep({ db }: Engine, keepDays: number): Promise<void> {
  const before = iso(Date.now() - Math.max(keepDays, 1) * DAY_MS);
  await db.query("delete from run where ended_at < $1", [before]);
  await db.query(
    "delete from event where received_at < $1 and routed and not exists (select 1 from run where run.event_id = event.id)",
    [before],
  );
}
