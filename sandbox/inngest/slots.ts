import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { ConcurrencyRule } from "./function-config.ts";
import { MAX_DELIVERIES } from "./queue.ts";
import type { CallRef, LockedRun } from "./runs.ts";
import { iso } from "./values.ts";

/*
 * Concurrency limits count calls that are being made now. A call that finds its keys full leaves rows that wait and
 * no job; whoever frees a place hands it on, oldest first, in the same transaction. All of it happens under one lock
 * per function, which is taken last: nobody who holds it waits for a run.
 */

/**
 * Takes a place in every rule's key, or queues up for it. A call that has its places keeps them when it is redelivered.
 * @returns whether the call may be made now.
 */
export async function claimSlots(
  tx: Tx,
  engine: Engine,
  call: CallRef & { functionId: string },
  rules: readonly ConcurrencyRule[],
  event: unknown,
): Promise<boolean> {
  const keys = rules.map(
    (rule, index) => `${call.functionId}/${index}/${JSON.stringify(rule.keyOf({ event })) ?? "null"}`,
  );
  const capacities = rules.map((rule) => rule.limit);
  await lockSlots(tx, engine, call.functionId);
  const { rows } = await tx.query<{ held: boolean }>(
    `with wanted as (
       select wanted.*, (select count(*) from slot where slot.key = wanted.key and held) as places
       from unnest($3::text[], $4::int[]) as wanted (key, capacity)
     )
     insert into slot (run_id, target, key, capacity, held, since)
     select $1, $2, key, capacity, (select bool_and(places < capacity) from wanted), $5 from wanted
     on conflict (run_id, target, key) do update set capacity = excluded.capacity returning held`,
    [call.runId, call.target, keys, capacities, iso(Date.now())],
  );
  return rows.every((row) => row.held);
}

/** Gives up the places of a run's released targets and hands each on to the call that has waited longest for it. */
export async function releaseSlots(tx: Tx, engine: Engine, run: LockedRun): Promise<void> {
  await lockSlots(tx, engine, run.functionId);
  const { rows } = await tx.query<{ key: string }>(
    "delete from slot where run_id = $1 and target = any($2) returning key",
    [run.id, run.released],
  );
  const freed = rows.map((row) => row.key);
  let turns = freed.length;
  while (turns > 0 && (await handOn(tx, engine, freed))) turns -= 1;
}

async function lockSlots(tx: Tx, engine: Engine, functionId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${engine.db.schema}:slots:${functionId}`]);
}

/** Grants the places of one waiting call, if one can have all it needs, and has the call made. */
async function handOn(tx: Tx, engine: Engine, freed: readonly string[]): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with taken as materialized (
       select key, count(*) as places from slot where held group by key
     ), candidates as materialized (
       select distinct run_id, target from slot left join taken using (key)
       where slot.key = any($1) and not slot.held and coalesce(taken.places, 0) < slot.capacity
     ), chosen as (
       select slot.run_id, slot.target from candidates join slot using (run_id, target) left join taken using (key)
       group by slot.run_id, slot.target having bool_and(coalesce(taken.places, 0) < slot.capacity)
       order by min(slot.since), slot.run_id limit 1
     ), granted as (
       update slot set held = true from chosen
       where slot.run_id = chosen.run_id and slot.target = chosen.target returning slot.run_id, slot.target
     )
     select ${engine.db.queueSchema}.add_job('advance',
         json_build_object('runId', call.run_id, 'target', target, 'generation', call.generation),
         run_at => least($2, run.started_at), max_attempts => ${MAX_DELIVERIES})
     from call join run on run.id = call.run_id where (call.run_id, target) in (select run_id, target from granted)`,
    [freed, iso(Date.now())],
  );
  return rowCount === 1;
}
