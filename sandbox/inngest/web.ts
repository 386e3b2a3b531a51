import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import { createApp, type StandInEnv } from "#sandbox/kit/serve.ts";
import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { iso, isRecord, messageOf, parseJson, ulid } from "./protocol.ts";
import { listRuns, RUN_STATUSES, type RunFilter, readHealth, readRun, renderPage } from "./reports.ts";

/** An event as it was sent; without an id one is derived. */
interface SentEvent {
  id?: string;
  name: string;
  data: Record<string, unknown>;
  user?: Record<string, unknown>;
  ts: number;
}

/** How long an explicit id stands for the same event. */
const DEDUPE_WINDOW_MS = 24 * 3_600_000;
const MAX_EVENT_BYTES = 512 * 1024;

/**
 * Checks the body of a send: one event or a list.
 * @throws Error with one sentence.
 */
function readEvents(body: unknown, nowMs: number): SentEvent[] {
  return (Array.isArray(body) ? body : [body]).map((raw): SentEvent => {
    if (!isRecord(raw) || typeof raw.name !== "string" || raw.name === "") throw new Error("An event needs a name");
    if (raw.name.startsWith("inngest/")) throw new Error(`The name "${raw.name}" is reserved`);
    if (raw.data !== undefined && raw.data !== null && !isRecord(raw.data))
      throw new Error(`The data of "${raw.name}" must be an object`);
    if (JSON.stringify(raw).length > MAX_EVENT_BYTES) throw new Error(`Event "${raw.name}" is larger than 512 KB`);
    return {
      ...(typeof raw.id === "string" && raw.id !== "" ? { id: raw.id } : {}),
      name: raw.name,
      data: isRecord(raw.data) ? raw.data : {},
      ...(isRecord(raw.user) ? { user: raw.user } : {}),
      ts: typeof raw.ts === "number" && raw.ts > 0 ? Math.trunc(raw.ts) : nowMs,
    };
  });
}

/**
 * Stores events and has the new ones matched with functions. An explicit id counts once in 24 hours; without one it
 * is derived from `seed` (the `x-inngest-event-id-seed` header) and the place in the list, so that the same POST
 * again adds nothing.
 * @returns the ids under which the events are known, in order.
 */
async function insertEvents(
  tx: Tx,
  engine: Engine,
  events: readonly SentEvent[],
  seed: string | undefined,
): Promise<string[]> {
  const nowMs = Date.now();
  const batch = seed ?? randomBytes(10).toString("hex");
  const rows = events.map((event, index) => {
    const id = ulid(seedMs(seed) ?? nowMs, batch, index);
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
  return namesOf(tx, engine, rows);
}

async function namesOf(
  tx: Tx,
  engine: Engine,
  rows: readonly { dedupe_id: string; name: string }[],
): Promise<string[]> {
  const stored = await tx.query<{ id: string; dedupe_id: string; name: string }>(
    "select id, dedupe_id, name from event where dedupe_id = any($1)",
    [rows.map((row) => row.dedupe_id)],
  );
  const byDedupeId = new Map(stored.rows.map((row) => [row.dedupe_id, row]));
  return rows.map(({ dedupe_id, name }) => {
    const known = byDedupeId.get(dedupe_id);
    if (known !== undefined && known.name !== name) {
      engine.log(`executor: event id "${dedupe_id}" of "${name}" was dropped: "${known.name}" already used it`);
    }
    return known?.id ?? dedupe_id;
  });
}

function seedMs(seed: string | undefined): number | undefined {
  const ms = Number(seed?.split(",")[0]);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}

const PAGE_RUNS = 100;
const MAX_RUNS = 500;

/** The executor's own addresses: events in, and its state for people and programs. */
export function createWeb(engine: Engine, eventKey: string): Hono<StandInEnv> {
  const app = createApp();
  app.post("/e/:key", async (c) => {
    if (!isSame(c.req.param("key"), eventKey))
      return c.json({ error: "Event key not found", status: 401, ids: [] }, 401);
    const events = eventsOrReason(parseJson(await c.req.text()));
    if (typeof events === "string") return c.json({ error: events, status: 400, ids: [] }, 400);
    const seed = c.req.header("x-inngest-event-id-seed");
    const ids = await engine.db.transaction((tx) => insertEvents(tx, engine, events, seed));
    engine.nudge();
    return c.json({ ids, status: 200 });
  });
  app.get("/health", async (c) => {
    const health = await readHealth(engine);
    return c.json(health, health.ready ? 200 : 503);
  });
  app.get("/v1/runs", async (c) => {
    const filter = filterOrReason(c.req.query());
    return typeof filter === "string" ? c.json({ error: filter }, 400) : c.json(await listRuns(engine, filter));
  });
  app.get("/v1/runs/:id", async (c) => {
    const run = await readRun(engine, c.req.param("id"));
    return run === undefined ? c.json({ error: "There is no such run" }, 404) : c.json(run);
  });
  app.get("/", async (c) => {
    const { runs } = await listRuns(engine, { limit: PAGE_RUNS });
    return c.html(await renderPage(await readHealth(engine), runs));
  });
  app.onError((error, c) => {
    engine.log(`executor: ${c.req.method} ${c.req.path.split("/")[1] ?? ""} failed: ${messageOf(error)}`);
    return c.json({ error: "The executor cannot reach its database", status: 503 }, 503);
  });
  return app;
}

function filterOrReason(query: Record<string, string>): RunFilter | string {
  const limit = Number(query.limit ?? PAGE_RUNS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RUNS) return `limit must be between 1 and ${MAX_RUNS}`;
  const status = RUN_STATUSES.find((known) => known === query.status);
  if (query.status && status === undefined) return `status must be one of ${RUN_STATUSES.join(", ")}`;
  if (query.cursor && !/^[0-9A-Z]{26}$/.test(query.cursor)) return "cursor must be the nextCursor of a page";
  return { limit, status, functionId: query.function || undefined, cursor: query.cursor || undefined };
}

function eventsOrReason(body: unknown): SentEvent[] | string {
  if (body === undefined) return "The body is not JSON";
  try {
    return readEvents(body, Date.now());
  } catch (error) {
    return messageOf(error);
  }
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
