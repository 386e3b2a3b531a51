import { createHash } from "node:crypto";
import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { FunctionConfig } from "./functions.ts";
import { iso } from "./protocol.ts";
import { RUN_STATE_COLUMNS, type RunState, type RunStateRow, toRunState } from "./runs.ts";

/** A due call that waits for capacity. */
export interface Candidate {
  runId: string;
  target: string;
  queueKey: string;
  /** When its run became ready, in milliseconds: within a queue, the oldest goes first. */
  rankMs: number;
}

export interface ClaimedCall {
  target: string;
  state: RunState;
}

const MAX_KEY_CHARACTERS = 120;

/** The queue of a run: its function and the value of each concurrency key. `event` is the parsed event. */
export function queueKeyOf(fn: FunctionConfig, event: unknown): string {
  const values = fn.concurrency.map(({ keyOf }) => {
    const text = JSON.stringify(keyOf(event)) ?? "null";
    return text.length <= MAX_KEY_CHARACTERS ? text : createHash("sha256").update(text).digest("hex");
  });
  return JSON.stringify([fn.id, ...values]);
}

/** The function of a queue and the names of its concurrency counters, one per rule. */
function parseQueueKey(queueKey: string): { functionId: string; keys: string[] } {
  const [functionId = "", ...values]: string[] = JSON.parse(queueKey);
  return { functionId, keys: values.map((value, rule) => `${functionId}/${rule}/${value}`) };
}

/**
 * Selects calls round robin: the queue with the fewest running calls first, then the one with the oldest run.
 * So neither a key nor a function with many waiting steps takes capacity from others. `candidates` are oldest first.
 */
export function selectCalls(
  candidates: readonly Candidate[],
  running: ReadonlyMap<string, number>,
  limitsOf: (functionId: string) => readonly number[],
  capacity: number,
): Candidate[] {
  const used = new Map<string, number>();
  const use = (keys: readonly string[], count: number) => {
    for (const key of keys) used.set(key, (used.get(key) ?? 0) + count);
  };
  for (const [queueKey, count] of running) use(parseQueueKey(queueKey).keys, count);
  const queues = [...Map.groupBy(candidates, ({ queueKey }) => queueKey)].map(([queueKey, waiting]) => {
    const { functionId, keys } = parseQueueKey(queueKey);
    return { keys, limits: limitsOf(functionId), inFlight: running.get(queueKey) ?? 0, waiting: [...waiting] };
  });
  const rankOf = ({ waiting }: (typeof queues)[number]) => waiting[0]?.rankMs ?? 0;
  const chosen: Candidate[] = [];
  while (chosen.length < capacity) {
    const open = queues.filter(({ keys, limits, waiting }) => {
      const hasCapacity = (key: string, rule: number) =>
        (used.get(key) ?? 0) < (limits[rule] ?? Number.POSITIVE_INFINITY);
      return waiting.length > 0 && keys.every(hasCapacity);
    });
    const first = open.reduce<(typeof open)[number] | undefined>((best, queue) => {
      const isFirst = best === undefined || (queue.inFlight - best.inFlight || rankOf(queue) - rankOf(best)) < 0;
      return isFirst ? queue : best;
    }, undefined);
    const call = first?.waiting.shift();
    if (first === undefined || call === undefined) break;
    chosen.push(call);
    first.inFlight += 1;
    use(first.keys, 1);
  }
  return chosen;
}

/**
 * Claims up to `capacity` due calls, until they complete or this executor is dead. Executors take turns under one lock,
 * so that limits hold across all of them.
 */
export async function claimCalls(
  engine: Engine,
  workerId: string,
  capacity: number,
): Promise<{ calls: readonly ClaimedCall[]; hasBacklog: boolean }> {
  const limitsOf = (functionId: string) =>
    (engine.registry.functions.get(functionId)?.concurrency ?? []).map(({ limit }) => limit);
  const limits = [...engine.registry.functions.keys()].map((id) => [id, Math.min(capacity, ...limitsOf(id))]);
  return engine.db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${engine.db.schema}:claim`]);
    const candidates = await readCandidates(tx, Object.fromEntries(limits), capacity);
    if (candidates.length === 0) return { calls: [], hasBacklog: false };
    const { rows } = await tx.query<{ queueKey: string; count: number }>(
      'select lane as "queueKey", count(*)::int as count from call where claimed_by is not null group by lane',
    );
    const running = new Map(rows.map(({ queueKey, count }) => [queueKey, count]));
    const chosen = selectCalls(candidates, running, limitsOf, capacity);
    const calls = chosen.length === 0 ? [] : await claim(tx, workerId, chosen);
    // A queue is read only up to its limit, so a full batch means that there may be more.
    return { calls, hasBacklog: candidates.length > calls.length || calls.length === capacity };
  });
}

/** Skips from queue to queue in the index, and reads the oldest due calls of each, up to its limit. */
async function readCandidates(tx: Tx, maxByFunction: Record<string, number>, capacity: number): Promise<Candidate[]> {
  const { rows } = await tx.query<Omit<Candidate, "rankMs"> & { rank: Date }>(
    `with recursive lanes as (
       (select lane from call where claimed_by is null order by lane limit 1)
       union all
       select (select call.lane from call where claimed_by is null and call.lane > lanes.lane order by call.lane limit 1)
       from lanes where lanes.lane is not null
     )
     select due.run_id as "runId", due.target, due.lane as "queueKey", due.rank from lanes cross join lateral (
       select run_id, target, lane, rank from call
       where call.lane = lanes.lane and claimed_by is null and due_at <= $1 order by rank, run_id
       limit coalesce(($2::json->>(lanes.lane::json->>0))::int, $3)
     ) due where lanes.lane is not null`,
    [iso(Date.now()), JSON.stringify(maxByFunction), capacity],
  );
  return rows.map(({ rank, ...row }) => ({ ...row, rankMs: rank.getTime() }));
}

async function claim(tx: Tx, workerId: string, chosen: readonly Candidate[]): Promise<ClaimedCall[]> {
  const { rows } = await tx.query<RunStateRow & { target: string }>(
    `with claimed as (
       update call set claimed_by = $1
       where (run_id, target) in (select * from unnest($2::text[], $3::text[])) and claimed_by is null
       returning run_id, target
     )
     select claimed.target, ${RUN_STATE_COLUMNS} from claimed
     join run on run.id = claimed.run_id join event on event.id = run.event_id`,
    [workerId, chosen.map((call) => call.runId), chosen.map((call) => call.target)],
  );
  return rows.map(({ target, ...row }) => ({ target, state: toRunState(row) }));
}

/** Releases the calls claimed by an executor, except those of its active runs. */
export async function releaseCalls(tx: Tx, workerId: string, activeRuns: readonly string[] = []): Promise<void> {
  await tx.query("update call set claimed_by = null where claimed_by = $1 and run_id <> all($2)", [
    workerId,
    activeRuns,
  ]);
}
