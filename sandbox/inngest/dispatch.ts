import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { type FunctionConfig, fulfills } from "./functions.ts";
import { laneOf } from "./lanes.ts";
import { type Follower, followRun } from "./operations.ts";
import { iso, isRecord, messageOf, parseJson, ulid } from "./protocol.ts";
import { type ClaimedCall, claimCalls, repeat } from "./queue.ts";
import type { RunStart } from "./runs.ts";

interface StoredEvent {
  id: string;
  name: string;
  body: string;
}

/** An event with what its body says. */
interface NewEvent extends StoredEvent {
  event: unknown;
  ts: number;
}

const BATCH = 200;

/**
 * Starts what stored events trigger, each event once, whoever of the executors gets to it. @returns how many there were.
 */
async function routeEvents(engine: Engine): Promise<number> {
  return engine.db.transaction(async (tx) => {
    const { rows } = await tx.query<StoredEvent>(
      `select id, name, body from event where not routed order by id limit ${BATCH}
       for update skip locked`,
    );
    if (rows.length === 0) return 0;
    const events = rows.map((row): NewEvent => {
      const event = parseJson(row.body);
      return { ...row, event, ts: isRecord(event) && typeof event.ts === "number" ? event.ts : 0 };
    });
    await startRuns(tx, engine, events);
    await tx.query("update event set routed = true where id = any($1)", [events.map((event) => event.id)]);
    return rows.length;
  });
}

/** A run of every function that an event triggers, once per function and event. */
async function startRuns(tx: Tx, engine: Engine, events: readonly NewEvent[]): Promise<void> {
  const nowMs = Date.now();
  const started = events.flatMap((event) =>
    [...engine.registry.functions.values()]
      .filter((fn) => isTriggered(fn, event))
      .map((fn) => runStart(fn, event.id, event.event, Math.max(nowMs, event.ts), nowMs)),
  );
  const wanted = started.map((start, place) => ({ ...start, place }));
  if (wanted.length > 0) await tx.query("select start_runs($1, $2)", [JSON.stringify(wanted), iso(nowMs)]);
}

/** The run of a function that an event starts, due at `dueAtMs`. */
export function runStart(
  fn: FunctionConfig,
  eventId: string,
  event: unknown,
  dueAtMs: number,
  nowMs: number,
): RunStart {
  return { id: ulid(nowMs), functionId: fn.id, eventId, lane: laneOf(fn, event), dueAt: iso(dueAtMs), place: 0 };
}

function isTriggered(fn: FunctionConfig, { name, event }: NewEvent): boolean {
  return fn.triggers.some((trigger) => {
    if (trigger.kind !== "event" || trigger.event !== name) return false;
    return trigger.condition === undefined || fulfills(event, trigger.condition);
  });
}

/** What there is to do. */
interface DueWork {
  hasEvents: boolean;
  hasSteps: boolean;
  hasCalls: boolean;
  /** Calls are claimed by this executor that it does not know of: the answer to a commit was lost. */
  hasStrays: boolean;
  /** When the next thing comes due, in milliseconds. */
  nextDueMs: number | undefined;
}

/** A few looks into indexes: ten thousand sleeping runs cost no more than one. */
async function lookForWork({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<DueWork> {
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
async function releaseStrays({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<void> {
  await db.query("update call set claimed_by = null where claimed_by = $1 and run_id <> all($2)", [
    workerId,
    knownRuns,
  ]);
}

const WAKE_BATCH = 500;

/** Ends up to WAKE_BATCH sleeps that are due. @returns how many runs that let go on. */
async function wakeDue({ db }: Engine): Promise<number> {
  const { rows } = await db.query<{ count: number }>("select wake_due($1, $2) as count", [iso(Date.now()), WAKE_BATCH]);
  return rows[0]?.count ?? 0;
}

/** What takes due work and has it done. */
export interface Dispatch {
  /** Looks again at once. */
  nudge(): void;
  /** Takes no more calls and waits for the running ones; after `drainMs` they are cut. */
  stop(): Promise<void>;
}

/** How the work is done. */
interface DispatchSettings {
  /** The name under which calls are claimed. */
  workerId: string;
  /** Calls at a time. */
  concurrency: number;
  drainMs: number;
}

/** What comes due while nobody looks waits no longer than this; it also bridges a clock that is moved. */
const LOOK_INTERVAL_MS = 100;
/** Things that come due one after the other are taken together. */
const LOOK_PAUSE_MS = 4;

/** What one executor has in hand. */
interface Shop {
  /** The work that is being done, and the run it is for. */
  inFlight: Map<Promise<void>, string>;
  /** Whether calls are due that wait for a place or for their key. */
  hasBacklog: boolean;
  nextDueMs: number | undefined;
  isClosing: boolean;
}

/** Starts looking for due work. */
export function startDispatch(engine: Engine, settings: DispatchSettings): Dispatch {
  const cutting = new AbortController();
  const shop: Shop = { inFlight: new Map(), hasBacklog: false, nextDueMs: undefined, isClosing: false };
  const follower: Follower = {
    workerId: settings.workerId,
    signal: cutting.signal,
    mayGoOn: (functionId) => mayGoOn(engine, settings, shop, functionId),
    onMoreDue: () => looking.soon(),
  };
  const follow = (call: ClaimedCall) => {
    const work = followRun(engine, follower, call).finally(() => {
      shop.inFlight.delete(work);
      if (shop.hasBacklog) looking.soon();
    });
    shop.inFlight.set(work, call.state.id);
  };
  const turn = async () => {
    if (!shop.isClosing) await look(engine, settings, shop, follow);
  };
  const looking = repeat(turn, () => pauseMs(shop.nextDueMs));
  const idle = async () => {
    await looking.stop();
    await Promise.all(shop.inFlight.keys());
  };
  return {
    nudge: () => looking.soon(),
    async stop() {
      shop.isClosing = true;
      await Promise.race([idle(), patience(settings.drainMs)]);
      cutting.abort();
      engine.db.abandon();
      await idle();
    },
  };
}

/**
 * Whether the run goes on in its place. Where calls wait only for their key, and there is one, the run that has the
 * place is the oldest of its lane; where they wait for any place, or for one of two keys, it must be their turn.
 */
function mayGoOn(engine: Engine, { concurrency }: DispatchSettings, shop: Shop, functionId: string): boolean {
  if (shop.isClosing) return false;
  const rules = engine.registry.functions.get(functionId)?.concurrency.length ?? 0;
  return !shop.hasBacklog || (rules <= 1 && shop.inFlight.size < concurrency);
}

/** Never throws: the next look comes in a moment. */
async function look(
  engine: Engine,
  { workerId, concurrency }: DispatchSettings,
  shop: Shop,
  follow: (call: ClaimedCall) => void,
): Promise<void> {
  try {
    const due = await lookForWork(engine, workerId, [...shop.inFlight.values()]);
    shop.nextDueMs = due.nextDueMs;
    if (due.hasStrays) await releaseStrays(engine, workerId, [...shop.inFlight.values()]);
    if (due.hasEvents) while ((await routeEvents(engine)) > 0);
    if (due.hasSteps) while ((await wakeDue(engine)) === WAKE_BATCH);
    shop.hasBacklog = due.hasCalls || due.hasEvents || due.hasSteps;
    const places = concurrency - shop.inFlight.size;
    if (!shop.hasBacklog) return;
    if (places <= 0 || shop.isClosing) return;
    const claims = await claimCalls(engine, workerId, places);
    shop.hasBacklog = claims.hasBacklog;
    for (const call of claims.calls) follow(call);
  } catch (error) {
    shop.nextDueMs = undefined;
    engine.log(`executor: it could not look for work: ${messageOf(error)}`);
  }
}

function pauseMs(nextDueMs = Number.POSITIVE_INFINITY): number {
  return Math.min(Math.max(nextDueMs - Date.now(), LOOK_PAUSE_MS), LOOK_INTERVAL_MS);
}

/** Keeps no process alive. */
function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
