import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { type Candidate, chooseCalls } from "./lanes.ts";
import { iso } from "./protocol.ts";
import { RUN_STATE_COLUMNS, type RunState, type RunStateRow, toRunState } from "./runs.ts";

/** A call that this executor makes. */
export interface ClaimedCall {
  target: string;
  state: RunState;
}

/** The calls that were claimed, and whether others are due that have to wait. */
interface Claims {
  calls: readonly ClaimedCall[];
  hasBacklog: boolean;
}

/**
 * Takes up to `places` due calls. Executors do this one after the other, under one lock, so that limits hold across
 * all of them; what is taken stays taken until it is answered or its executor is dead.
 */
export async function claimCalls(engine: Engine, workerId: string, places: number): Promise<Claims> {
  return engine.db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${engine.db.schema}:claim`]);
    const candidates = await readCandidates(tx, engine, places);
    if (candidates.length === 0) return { calls: [], hasBacklog: false };
    const running = await tx.query<{ lane: string; count: number }>(
      "select lane, count(*)::int as count from call where claimed_by is not null group by lane",
    );
    const counts = new Map(running.rows.map(({ lane, count }) => [lane, count]));
    const chosen = chooseCalls(candidates, counts, (functionId) => limitsOf(engine, functionId), places);
    const calls = chosen.length === 0 ? [] : await take(tx, workerId, chosen);
    // A lane is read up to what it may have, so a whole one says that more may follow.
    return { calls, hasBacklog: candidates.length > calls.length || calls.length === places };
  });
}

/** Jumps from lane to lane in the index, and takes of each the oldest few that are due. */
async function readCandidates(tx: Tx, engine: Engine, places: number): Promise<Candidate[]> {
  const caps = [...engine.registry.functions.keys()].map((id) => [id, Math.min(places, ...limitsOf(engine, id))]);
  const { rows } = await tx.query<Omit<Candidate, "rankMs"> & { rank: Date }>(
    `with recursive lanes as (
       (select lane from call where claimed_by is null order by lane limit 1)
       union all
       select (select call.lane from call where claimed_by is null and call.lane > lanes.lane order by call.lane limit 1)
       from lanes where lanes.lane is not null
     )
     select due.run_id as "runId", due.target, due.lane, due.rank from lanes cross join lateral (
       select run_id, target, lane, rank from call
       where call.lane = lanes.lane and claimed_by is null and due_at <= $1 order by rank, run_id
       limit coalesce(($2::json->>(lanes.lane::json->>0))::int, $3)
     ) due where lanes.lane is not null`,
    [iso(Date.now()), JSON.stringify(Object.fromEntries(caps)), places],
  );
  return rows.map(({ rank, ...row }) => ({ ...row, rankMs: rank.getTime() }));
}

async function take(tx: Tx, workerId: string, chosen: readonly Candidate[]): Promise<ClaimedCall[]> {
  const { rows } = await tx.query<RunStateRow & { target: string }>(
    `with taken as (
       update call set claimed_by = $1
       where (run_id, target) in (select * from unnest($2::text[], $3::text[])) and claimed_by is null
       returning run_id, target
     )
     select taken.target, ${RUN_STATE_COLUMNS} from taken
     join run on run.id = taken.run_id join event on event.id = run.event_id`,
    [workerId, chosen.map((call) => call.runId), chosen.map((call) => call.target)],
  );
  return rows.map(({ target, ...row }) => ({ target, state: toRunState(row) }));
}

/** Gives back calls that will not be made after all. @returns how many. */
export async function releaseCalls(tx: Tx, workerId: string): Promise<number> {
  const { rowCount } = await tx.query("update call set claimed_by = null where claimed_by = $1", [workerId]);
  return rowCount ?? 0;
}

function limitsOf(engine: Engine, functionId: string): readonly number[] {
  return (engine.registry.functions.get(functionId)?.concurrency ?? []).map((rule) => rule.limit);
}

/** A task that repeats until stopped. */
export interface Repeated {
  /** Runs it again as soon as possible instead of waiting for the interval. */
  soon(): void;
  /** Stops and waits for a running turn. */
  stop(): Promise<void>;
}

/**
 * Runs `turn` now and then `intervalMs()` after the end of each turn, never twice at a time.
 * `turn` must not throw: what may fail belongs into it.
 */
export function repeat(turn: () => Promise<void>, intervalMs: () => number): Repeated {
  let isStopped = false;
  let isAskedFor = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const start = () => {
    timer = undefined;
    isAskedFor = false;
    running = turn().finally(() => {
      running = undefined;
      if (!isStopped) timer = setTimeout(start, isAskedFor ? 0 : intervalMs());
    });
  };
  start();
  return {
    soon() {
      isAskedFor = true;
      if (timer === undefined || isStopped) return;
      clearTimeout(timer);
      start();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
