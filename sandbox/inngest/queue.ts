import { createHash } from "node:crypto";
import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { FunctionConfig } from "./functions.ts";
import { iso } from "./protocol.ts";
import { RUN_STATE_COLUMNS, type RunState, type RunStateRow, toRunState } from "./runs.ts";

/** A call that could be made now, were there room for it. */
export interface Candidate {
  runId: string;
  target: string;
  lane: string;
  /** When its run became ready, in milliseconds: of one lane who has waited longest goes first. */
  rankMs: number;
}

/** A call that this executor makes. */
export interface ClaimedCall {
  target: string;
  state: RunState;
}

const MAX_KEY_CHARACTERS = 120;

/** The lane of a run: its function and the value of each rule's key. `event` is the parsed event. */
export function laneOf(fn: FunctionConfig, event: unknown): string {
  const values = fn.concurrency.map(({ keyOf }) => {
    const text = JSON.stringify(keyOf(event)) ?? "null";
    return text.length <= MAX_KEY_CHARACTERS ? text : createHash("sha256").update(text).digest("hex");
  });
  return JSON.stringify([fn.id, ...values]);
}

/** The function of a lane, and what its calls count against: one name for each rule. */
function readLane(lane: string): { functionId: string; keys: string[] } {
  const [functionId = "", ...values]: string[] = JSON.parse(lane);
  return { functionId, keys: values.map((value, rule) => `${functionId}/${rule}/${value}`) };
}

/**
 * Whom to let go first. In turns: the lane with the fewest calls under way, and among those the one whose oldest run
 * is the oldest. So a key with a thousand waiting steps takes no place from others, nor does a whole function.
 * @param candidates of each lane in the order of age.
 * @param running how many calls of each lane are being made, by all executors together.
 * @param limitsOf the limits of a function's rules, in their order.
 * @param places how many calls may be chosen.
 */
export function chooseCalls(
  candidates: readonly Candidate[],
  running: ReadonlyMap<string, number>,
  limitsOf: (functionId: string) => readonly number[],
  places: number,
): Candidate[] {
  const used = new Map<string, number>();
  const use = (keys: readonly string[], count: number) => {
    for (const key of keys) used.set(key, (used.get(key) ?? 0) + count);
  };
  for (const [lane, count] of running) use(readLane(lane).keys, count);
  const lanes = [...Map.groupBy(candidates, ({ lane }) => lane)].map(([lane, waiting]) => {
    const { functionId, keys } = readLane(lane);
    return { keys, limits: limitsOf(functionId), share: running.get(lane) ?? 0, waiting: [...waiting] };
  });
  const rankOf = ({ waiting }: (typeof lanes)[number]) => waiting[0]?.rankMs ?? 0;
  const chosen: Candidate[] = [];
  while (chosen.length < places) {
    const open = lanes.filter(({ keys, limits, waiting }) => {
      const hasRoom = (key: string, rule: number) => (used.get(key) ?? 0) < (limits[rule] ?? Number.POSITIVE_INFINITY);
      return waiting.length > 0 && keys.every(hasRoom);
    });
    const first = open.reduce<(typeof open)[number] | undefined>((best, lane) => {
      const isFirst = best === undefined || (lane.share - best.share || rankOf(lane) - rankOf(best)) < 0;
      return isFirst ? lane : best;
    }, undefined);
    const call = first?.waiting.shift();
    if (first === undefined || call === undefined) break;
    chosen.push(call);
    first.share += 1;
    use(first.keys, 1);
  }
  return chosen;
}

/**
 * Takes up to `places` due calls. Executors do this one after the other, under one lock, so that limits hold across
 * all of them; what is taken stays taken until it is answered or its executor is dead.
 * @returns them, and whether others are due that have to wait.
 */
export async function claimCalls(
  engine: Engine,
  workerId: string,
  places: number,
): Promise<{ calls: readonly ClaimedCall[]; hasBacklog: boolean }> {
  const limitsOf = (functionId: string) =>
    (engine.registry.functions.get(functionId)?.concurrency ?? []).map(({ limit }) => limit);
  const most = [...engine.registry.functions.keys()].map((id) => [id, Math.min(places, ...limitsOf(id))]);
  return engine.db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${engine.db.schema}:claim`]);
    const candidates = await readCandidates(tx, Object.fromEntries(most), places);
    if (candidates.length === 0) return { calls: [], hasBacklog: false };
    const { rows } = await tx.query<{ lane: string; count: number }>(
      "select lane, count(*)::int as count from call where claimed_by is not null group by lane",
    );
    const running = new Map(rows.map(({ lane, count }) => [lane, count]));
    const chosen = chooseCalls(candidates, running, limitsOf, places);
    const calls = chosen.length === 0 ? [] : await take(tx, workerId, chosen);
    // A lane is read up to what it may have, so a whole one says that more may follow.
    return { calls, hasBacklog: candidates.length > calls.length || calls.length === places };
  });
}

/** Jumps from lane to lane in the index, and takes of each the oldest few that are due: as many as may be made. */
async function readCandidates(tx: Tx, mostOf: Record<string, number>, places: number): Promise<Candidate[]> {
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
    [iso(Date.now()), JSON.stringify(mostOf), places],
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

/** Gives back all claimed calls of an executor, but for those of runs that it still follows. */
export async function releaseCalls(tx: Tx, workerId: string, followed: readonly string[] = []): Promise<void> {
  await tx.query("update call set claimed_by = null where claimed_by = $1 and run_id <> all($2)", [workerId, followed]);
}
