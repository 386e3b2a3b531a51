import type { Hono } from "hono";
import { html } from "hono/html";
import { createApp, type StandInEnv } from "#sandbox/kit/serve.ts";
import { isSameText, parseJson } from "#sandbox/kit/values.ts";
import type { Engine } from "./engine.ts";
import { insertEvents, readEvent, type SentEvent } from "./events.ts";
import { messageOf } from "./protocol.ts";
import { listRuns, type RunFilter, type RunReport, readHealth, readRun } from "./reports.ts";
import { RUN_STATUSES } from "./runs.ts";

const PAGE_RUNS = 100;
const MAX_RUNS = 500;

/** The executor's routes: events in, and its state for people and programs. */
export function createWeb(engine: Engine, eventKey: string): Hono<StandInEnv> {
  const app = createApp();
  app.post("/e/:key", async (c) => {
    if (!isSameText(c.req.param("key"), eventKey))
      return c.json({ error: "Event key not found", status: 401, ids: [] }, 401);
    const events = parseEvents(parseJson(await c.req.text()));
    if (typeof events === "string") return c.json({ error: events, status: 400, ids: [] }, 400);
    const seed = c.req.header("x-inngest-event-id-seed");
    const ids = await engine.db.transaction((tx) => insertEvents(tx, engine, events, seed));
    engine.pollNow();
    return c.json({ ids, status: 200 });
  });
  app.get("/health", async (c) => {
    const health = await readHealth(engine);
    return c.json(health, health.ready ? 200 : 503);
  });
  app.get("/v1/runs", async (c) => {
    const filter = parseFilter(c.req.query());
    return typeof filter === "string" ? c.json({ error: filter }, 400) : c.json(await listRuns(engine, filter));
  });
  app.get("/v1/runs/:id", async (c) => {
    const run = await readRun(engine, c.req.param("id"));
    return run === undefined ? c.json({ error: "Run not found" }, 404) : c.json(run);
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

function parseFilter(query: Record<string, string>): RunFilter | string {
  const limit = Number(query.limit ?? PAGE_RUNS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RUNS) return `limit must be between 1 and ${MAX_RUNS}`;
  const status = RUN_STATUSES.find((known) => known === query.status);
  if (query.status && status === undefined) return `status must be one of ${RUN_STATUSES.join(", ")}`;
  if (query.cursor && !/^[0-9A-Z]{26}$/.test(query.cursor)) return "cursor must be the nextCursor of a page";
  return { limit, status, functionId: query.function || undefined, cursor: query.cursor || undefined };
}

function parseEvents(body: unknown): SentEvent[] | string {
  if (body === undefined) return "The body is not JSON";
  try {
    return [body].flat().map(readEvent);
  } catch (error) {
    return messageOf(error);
  }
}

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
<p>${running} runs, ${inFlight} calls in progress, ${due} due, ${scheduled} scheduled, ${sleeping} sleeping steps.</p>
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
