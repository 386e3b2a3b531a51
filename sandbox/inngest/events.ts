import { randomBytes } from "node:crypto";
import { isObject, parseJson, ulid } from "#sandbox/kit/values.ts";
import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import type { FunctionConfig, Trigger } from "./functions.ts";
import { iso, SCHEDULED_TIMER } from "./protocol.ts";
import { queueKeyOf } from "./queue.ts";
import { latestTickMs, nextTickMs } from "./time.ts";

const DEDUPE_WINDOW_MS = 24 * 3_600_000;
const MAX_EVENT_BYTES = 512 * 1024;
const BATCH = 200;

/** An event as sent. Without an id, one is derived. */
export interface SentEvent {
  id?: string;
  name: string;
  data: Record<string, unknown>;
  ts: number;
}

/** Validates an event. @throws Error with a one-sentence message. */
export function readEvent(raw: unknown): SentEvent {
  if (!isObject(raw) || typeof raw.name !== "string" || raw.name === "") throw new Error("An event needs a name");
  const { id, name, data, ts } = raw;
  if (name.startsWith("inngest/")) throw new Error(`The name "${name}" is reserved`);
  if (!isObject(data ?? {})) throw new Error(`The data of "${name}" must be an object`);
  if (JSON.stringify(raw).length > MAX_EVENT_BYTES) throw new Error(`Event "${name}" is larger than 512 KB`);
  return {
    ...(typeof id === "string" && id !== "" && { id }),
    name,
    data: isObject(data) ? data : {},
    ts: typeof ts === "number" && ts > 0 ? Math.trunc(ts) : Date.now(),
  };
}

/**
 * Stores events for routing; an explicit id is accepted once in 24 hours. Other ids are derived from `seed` and the
 * position, so that repeating a POST adds nothing. Returns the stored ids, in order.
 */
export async function insertEvents(tx: Tx, engine: Engine, events: readonly SentEvent[], seed: string | undefined) {
  const nowMs = Date.now();
  const seedMs = Number(seed?.split(",")[0]);
  const batchMs = Number.isSafeInteger(seedMs) && seedMs > 0 ? seedMs : nowMs;
  const batch = seed ?? randomBytes(10).toString("hex");
  const rows = events.map((event, index) => {
    const id = ulid(batchMs, batch, index);
    const dedupeId = event.id ?? id;
    return { id, dedupe_id: dedupeId, name: event.name, body: JSON.stringify({ ...event, id: dedupeId }) };
  });
  const dedupeIds = rows.map((row) => row.dedupe_id);
  await tx.query("update event set dedupe_id = id where dedupe_id = any($1) and dedupe_id <> id and received_at < $2", [
    dedupeIds,
    iso(nowMs - DEDUPE_WINDOW_MS),
  ]);
  await tx.query(
    `insert into event (id, dedupe_id, name, body, received_at, routed)
     select id, dedupe_id, name, body, $2, false from json_to_recordset($1) as e(id text, dedupe_id text, name text, body text)
     order by dedupe_id on conflict do nothing`,
    [JSON.stringify(rows), iso(nowMs)],
  );
  const stored = await tx.query<{ id: string; dedupe_id: string; name: string }>(
    "select id, dedupe_id, name from event where dedupe_id = any($1)",
    [dedupeIds],
  );
  const known = new Map(stored.rows.map((row) => [row.dedupe_id, row]));
  return rows.map(({ dedupe_id, name }) => {
    const { id, name: firstName } = known.get(dedupe_id) ?? { id: dedupe_id, name };
    if (firstName !== name) {
      engine.log(`executor: event id "${dedupe_id}" of "${name}" was dropped: "${firstName}" already used it`);
    }
    return id;
  });
}

interface StoredEvent {
  id: string;
  name: string;
  event: Record<string, unknown>;
}

/** Starts the runs that stored events trigger, once per event across executors. Returns the number of events. */
export async function routeEvents(engine: Engine): Promise<number> {
  return engine.db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; name: string; body: string }>(
      `select id, name, body from event where not routed order by id limit ${BATCH} for update skip locked`,
    );
    if (rows.length === 0) return 0;
    const nowMs = Date.now();
    const starts = rows.flatMap(({ id, name, body }) => {
      const parsed = parseJson(body);
      const event = isObject(parsed) ? parsed : {};
      const dueAtMs = typeof event.ts === "number" ? Math.max(nowMs, event.ts) : nowMs;
      return [...engine.registry.functions.values()]
        .filter((fn) => fn.triggers.some((trigger) => isTriggered(trigger, { id, name, event })))
        .map((fn) => runStart(fn, id, event, dueAtMs, nowMs));
    });
    await startRuns(tx, starts, nowMs);
    await tx.query("update event set routed = true where id = any($1)", [rows.map(({ id }) => id)]);
    return rows.length;
  });
}

function isTriggered(trigger: Trigger, { name, event }: StoredEvent): boolean {
  if (trigger.kind !== "event" || trigger.event !== name) return false;
  const { failedFunctionId } = trigger;
  return failedFunctionId === undefined || (isObject(event.data) && event.data.function_id === failedFunctionId);
}

function runStart(fn: FunctionConfig, eventId: string, event: unknown, dueAtMs: number, nowMs: number) {
  return { id: ulid(nowMs), functionId: fn.id, eventId, queueKey: queueKeyOf(fn, event), dueAt: iso(dueAtMs) };
}

/** Starts runs, keeping their order when they are due at the same time. */
async function startRuns(tx: Tx, starts: readonly ReturnType<typeof runStart>[], nowMs: number): Promise<void> {
  const placed = starts.map((start, index) => ({ ...start, place: index }));
  if (placed.length > 0) await tx.query("select start_runs($1, $2)", [JSON.stringify(placed), iso(nowMs)]);
}

/** Time of the next tick by function and schedule. Only a hint: another executor may have ticked already. */
export type NextTicks = Map<string, number>;

/** Starts cron functions that are due. The tick is the event's id, so that two executors start one run. */
export async function tickCron(engine: Engine, nextTicks: NextTicks, nowMs: number): Promise<void> {
  for (const fn of engine.registry.functions.values()) {
    for (const trigger of fn.triggers) {
      if (trigger.kind !== "cron") continue;
      const key = JSON.stringify([fn.id, trigger.cron]);
      if (nowMs < (nextTicks.get(key) ?? 0)) continue;
      if (await engine.db.transaction((tx) => tickSchedule(tx, fn, trigger, nowMs))) engine.pollNow();
      nextTicks.set(key, nextTickMs(trigger.schedule, nowMs) ?? Number.POSITIVE_INFINITY);
    }
  }
}

async function tickSchedule(
  tx: Tx,
  fn: FunctionConfig,
  { cron, schedule }: Extract<Trigger, { kind: "cron" }>,
  nowMs: number,
): Promise<boolean> {
  const key = [fn.id, cron];
  await tx.query("insert into cron_tick (function_id, cron, last_at) values ($1, $2, $3) on conflict do nothing", [
    ...key,
    iso(nowMs),
  ]);
  const { rows } = await tx.query<{ lastAt: Date }>(
    `select last_at as "lastAt" from cron_tick where function_id = $1 and cron = $2 for update`,
    key,
  );
  const lastAt = rows[0]?.lastAt;
  const tickMs = lastAt === undefined ? undefined : latestTickMs(schedule, lastAt.getTime(), nowMs);
  if (tickMs === undefined) return false;
  await tx.query("update cron_tick set last_at = $3 where function_id = $1 and cron = $2", [...key, iso(tickMs)]);
  const dedupeId = `${fn.id}/${cron}/${iso(tickMs)}`;
  const id = ulid(tickMs, dedupeId);
  const event = { id: dedupeId, name: SCHEDULED_TIMER, data: { cron }, ts: tickMs };
  await tx.query(
    `insert into event (id, dedupe_id, name, body, received_at, routed) values ($1, $2, $3, $4, $5, true)
     on conflict do nothing`,
    [id, dedupeId, SCHEDULED_TIMER, JSON.stringify(event), iso(nowMs)],
  );
  await startRuns(tx, [runStart(fn, id, event, nowMs, nowMs)], nowMs);
  return true;
}
