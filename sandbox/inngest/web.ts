import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import { html } from "hono/html";
import { createApp, type StandInEnv } from "#sandbox/kit/serve.ts";
import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { iso, isRecord, messageOf, parseJson, ulid } from "./protocol.ts";
import { listRuns, type RunFilter, type RunReport, readHealth, readRun } from "./reports.ts";
import { RUN_STATUSES } from "./runs.ts";

/** How long an explicit id stands for the same event. */
const DEDUPE_WINDOW_MS = 24 * 3_600_000;
const MAX_EVENT_BYTES = 512 * 1024;
const PAGE_RUNS = 100;
const MAX_RUNS = 500;

/** An event as it was sent; without an id one is derived. */
interface SentEvent {
  id?: string;
  name: string;
  data: Record<string, unknown>;
  user?: Record<string, unknown>;
  ts: number;
}

/**
 * Checks one event of a send.
 * @throws Error with one sentence.
 */
function readEvent(raw: unknown): SentEvent {
  if (!isRecord(raw) || typeof raw.name !== "string" || raw.name === "") throw new Error("An event needs a name");
  const { id, name, data, user, ts } = raw;
  if (name.startsWith("inngest/")) throw new Error(`The name "${name}" is reserved`);
  if (!isRecord(data ?? {})) throw new Error(`The data of "${name}" must be an object`);
  if (JSON.stringify(raw).length > MAX_EVENT_BYTES) throw new Error(`Event "${name}" is larger than 512 KB`);
  return {
    ...(typeof id === "string" && id !== "" && { id }),
    name,
    data: isRecord(data) ? data : {},
    ...(isRecord(user) && { user }),
    ts: typeof ts === "number" && ts > 0 ? Math.trunc(ts) : Date.now(),
  };
}

/**
 * Stores events and has the new ones matched with functions. An explicit id counts once in 24 hours; without one it
 * is derived from `seed` (the `x-inngest-event-id-seed` header) and the place in the list, so that the same POST
 * again adds nothing.
 * @returns the ids under which the events are known, in order.
 */
async function insertEvents(tx: Tx, engine: Engine, events: readonly SentEvent[], seed: string | undefined) {
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
    return c.html(page(await readHealth(engine), runs));
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
    return [body].flat().map(readEvent);
  } catch (error) {
    return messageOf(error);
  }
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The operators' page: state, functions, newest runs. */
function page(health: Awaited<ReturnType<typeof readHealth>>, runs: readonly RunReport[]) {
  const { due, scheduled, inFlight, sleeping, running } = health.queue;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Durable executor</title>
<style>:root { color-scheme: light dark; } body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; }</style></head>
<body><main>
<h1>Durable executor</h1>
<p>${health.ready ? "Ready." : "Not ready."}</p>
${health.problems.map((problem) => html`<p role="alert">${problem}</p>`)}
<p>${running} runs, ${inFlight} calls under way, ${due} due, ${scheduled} later, ${sleeping} steps asleep.</p>
<h2>Functions</h2>
<ul>${health.functions.map((id) => html`<li><code>${id}</code></li>`)}</ul>
<h2>Newest runs</h2>
<table>
<tr><th scope="col">Started</th><th scope="col">Function</th><th scope="col">Status</th><th scope="col">Steps</th>
<th scope="col">Attempt</th><th scope="col">Error</th></tr>
${runs.map(pageRow)}
</table>
</main></body></html>`;
}

function pageRow({ id, startedAt, functionId, event, status, steps, attempt, error }: RunReport) {
  const names = steps.map(({ name, state }) => (state === "done" ? name : `${name} (${state})`));
  return html`<tr><td>${startedAt.slice(0, 19).replace("T", " ")}</td><td><code>${functionId}<br />${event}<br />${id}</code></td>
<td>${status}</td><td>${names.join(", ") || "none"}</td><td>${attempt || ""}</td><td>${error}</td></tr>`;
}
