import { latestTickMs, nextTickMs } from "./cron.ts";
import type { Tx } from "./database.ts";
import { runStart } from "./dispatch.ts";
import type { Engine } from "./engine.ts";
import type { FunctionConfig, Trigger } from "./functions.ts";
import { iso, SCHEDULED_TIMER, ulid } from "./protocol.ts";

type CronTrigger = Extract<Trigger, { kind: "cron" }>;

/** Until when no tick is due, by function and schedule; another executor may have ticked meanwhile, which is no harm. */
export type CronMemory = Map<string, number>;

/**
 * Starts the cron functions that have come due. A schedule seen for the first time begins now; of the ticks missed
 * meanwhile only the latest is made up for. The tick is the event's id, so two executors start one run.
 */
export async function tickCron(engine: Engine, memory: CronMemory, nowMs: number): Promise<void> {
  for (const fn of engine.registry.functions.values()) {
    for (const trigger of fn.triggers) {
      if (trigger.kind !== "cron") continue;
      const key = JSON.stringify([fn.id, trigger.cron]);
      if (nowMs < (memory.get(key) ?? 0)) continue;
      await engine.db.transaction((tx) => tickOne(tx, engine, fn, trigger, nowMs));
      memory.set(key, nextTickMs(trigger.schedule, nowMs) ?? Number.POSITIVE_INFINITY);
    }
  }
}

async function tickOne(
  tx: Tx,
  engine: Engine,
  fn: FunctionConfig,
  { cron, schedule }: CronTrigger,
  nowMs: number,
): Promise<void> {
  await tx.query("insert into cron_tick (function_id, cron, last_at) values ($1, $2, $3) on conflict do nothing", [
    fn.id,
    cron,
    iso(nowMs),
  ]);
  const { rows } = await tx.query<{ lastAt: Date }>(
    `select last_at as "lastAt" from cron_tick where function_id = $1 and cron = $2 for update`,
    [fn.id, cron],
  );
  const lastAt = rows[0]?.lastAt;
  const tickMs = lastAt === undefined ? undefined : latestTickMs(schedule, lastAt.getTime(), nowMs);
  if (tickMs === undefined) return;
  await tx.query("update cron_tick set last_at = $3 where function_id = $1 and cron = $2", [fn.id, cron, iso(tickMs)]);
  const dedupeId = `${fn.id}/${cron}/${iso(tickMs)}`;
  const id = ulid(tickMs, dedupeId);
  const event = { id: dedupeId, name: SCHEDULED_TIMER, data: { cron }, ts: tickMs };
  await tx.query(
    `insert into event (id, dedupe_id, name, body, received_at, routed) values ($1, $2, $3, $4, $5, true)
     on conflict do nothing`,
    [id, dedupeId, SCHEDULED_TIMER, JSON.stringify(event), iso(nowMs)],
  );
  const start = runStart(fn, id, event, nowMs, nowMs);
  await tx.query("select start_runs($1, $2)", [JSON.stringify([start]), iso(nowMs)]);
  engine.nudge();
}
