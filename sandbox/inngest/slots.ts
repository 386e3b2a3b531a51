import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { ConcurrencyRule } from "./function-config.ts";
import { enqueue } from "./queue.ts";
import type { CallRef } from "./runs.ts";
import { iso } from "./values.ts";

/*
 * Concurrency limits count calls that are being made now. A call that finds its keys full leaves rows that wait and
 * no job; whoever frees a place hands it on, oldest first, in the same transaction. All of it happens under one lock
 * per function, taken after the run's own lock.
 */

/** Takes the lock on a function's slots until the transaction ends. */
export async function lockSlots(tx: Tx, engine: Engine, functionId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${engine.db.schema}:slots:${functionId}`]);
}

/**
 * Takes a place in every rule's key, or queues up for it. Needs `lockSlots`.
 * @returns whether the call may be made now.
 */
export async function claimSlots(
  tx: Tx,
  call: CallRef & { functionId: string },
  rules: readonly ConcurrencyRule[],
  event: unknown,
): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>("select held from slot where run_id = $1 and target = $2", [
    call.runId,
    call.target,
  ]);
  if (rows.length > 0) return rows.every((row) => row.held);
  const keys = rules.map(
    (rule, index) => `${call.functionId}/${index}/${JSON.stringify(rule.keyOf({ event })) ?? "null"}`,
  );
  const capacities = rules.map((rule) => rule.limit);
  const full = await tx.query(
    `select 1 from unnest($1::text[], $2::int[]) as wanted (key, capacity)
     where (select count(*) from slot where slot.key = wanted.key and held) >= wanted.capacity`,
    [keys, capacities],
  );
  const isFree = full.rows.length === 0;
  await tx.query(
    `insert into slot (run_id, target, key, capacity, held, since)
     select $1, $2, key, capacity, $5, $6 from unnest($3::text[], $4::int[]) as wanted (key, capacity)`,
    [call.runId, call.target, keys, capacities, isFree, iso(Date.now())],
  );
  return isFree;
}

/** Gives up the places of one call, or of all calls of the run (`target` null), and hands them on. Needs `lockSlots`. */
export async function releaseSlots(tx: Tx, engine: Engine, runId: string, target: string | null): Promise<void> {
  const { rows } = await tx.query<{ key: string }>(
    "delete from slot where run_id = $1 and ($2::text is null or target = $2) returning key",
    [runId, target],
  );
  const freed = rows.map((row) => row.key);
  while (await handOn(tx, engine, freed)) {
    // One waiting call per turn; it may have filled the key for the next.
  }
}

async function handOn(tx: Tx, engine: Engine, freed: readonly string[]): Promise<boolean> {
  const { rows } = await tx.query<CallRef>(
    `with open as (
       select key from unnest($1::text[]) as freed (key)
       where (select count(*) from slot where slot.key = freed.key and held)
           < (select min(capacity) from slot where slot.key = freed.key)
     ), chosen as (
       select waiting.run_id, waiting.target from slot waiting join open using (key)
       where not waiting.held and not exists (
         select 1 from slot wanted
         where wanted.run_id = waiting.run_id and wanted.target = waiting.target
           and (select count(*) from slot taken where taken.key = wanted.key and taken.held) >= wanted.capacity)
       order by waiting.since, waiting.run_id limit 1
     ), granted as (
       update slot set held = true from chosen
       where slot.run_id = chosen.run_id and slot.target = chosen.target returning slot.run_id, slot.target
     )
     select distinct call.run_id as "runId", call.target, call.generation
     from granted join call on call.run_id = granted.run_id and call.target = granted.target`,
    [freed],
  );
  const next = rows[0];
  if (next === undefined) return false;
  await enqueue(tx, engine.db.queueSchema, [{ task: "advance", payload: next, runAtMs: Date.now() }]);
  return true;
}
