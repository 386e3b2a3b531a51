import type { Context, Hono } from "hono";
import { lookRoutes, readStyle } from "../kit/look/page.ts";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createFormGuard, type Fields, type FormGuard, saveSettings, switchOff, switchOn } from "./actions.ts";
import {
  type Asked,
  type Line,
  readCalls,
  readRun,
  readRuns,
  readScenarios,
  readSettings,
  readStanding,
} from "./clients.ts";
import { CONSOLE_HEADERS, lookAll, type Place } from "./frame.ts";
import { overviewPage, type StandInView, standInPage } from "./pages.ts";
import { runPage, runsPage } from "./run-pages.ts";

export type { Place } from "./frame.ts";

export interface ConsoleOptions extends ListenOptions {
  places: Place[];
  /** How long anything that is asked may take before it counts as silent (default 1.5 s). */
  deadlineMs?: number;
}

/** What the pages are made with. */
interface Desk {
  places: Place[];
  line: Line;
  guard: FormGuard;
  executor: string | undefined;
}

/** A stand-in that can be told something. */
type Controlled = Place & { control: string };

const USUAL_DEADLINE_MS = 1_500;
const SHOWN_CALLS = 30;
const NEWEST_RUNS = 5;
const RUNS_PER_PAGE = "50";
const NO_EXECUTOR = { ok: false, problem: "There is none here: the real service is configured." } as const;
const DONE: Record<string, string> = {
  on: "The fault is on.",
  off: "Switched off.",
  settings: "The settings are saved.",
};

/**
 * Starts the console: `/` links the stand-ins and shows how they stand, `/stand-ins/:id` switches faults and settings,
 * `/runs` and `/runs/:id` show durable runs, `GET /api/places` says as JSON which places are up.
 */
export function startConsole(options: ConsoleOptions): Promise<Handle> {
  const { places, deadlineMs = USUAL_DEADLINE_MS } = options;
  const line = { deadlineMs };
  const executor = places.find(({ runs }) => runs !== undefined)?.runs;
  const desk: Desk = { places, line, guard: createFormGuard(), executor };
  const app = createApp();
  app.use("*", async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) c.res.headers.set(name, value);
  });
  app.route("/__look", lookRoutes());
  serveFile(app, "/console.css", "look/console.css", "text/css");
  serveFile(app, "/refresh.js", "refresh.js", "text/javascript");
  app.get("/api/places", async (c) => c.json({ places: await lookAll(line, places) }));
  app.get("/", async (c) => c.html(await overview(desk)));
  app.get("/stand-ins/:id", async (c) => showStandIn(c, desk, noteOf(c.req.query("done"))));
  for (const [action, act] of Object.entries({ on: switchOn, off: switchOff, settings: saveSettings })) {
    app.post(`/stand-ins/:id/${action}`, (c) => take(c, desk, { action, act }));
  }
  app.get("/runs", async (c) => {
    const { status, cursor } = c.req.query();
    const query = { ...(status && { status }), ...(cursor && { cursor }) };
    const asked = executor ? await readRuns(line, executor, { ...query, limit: RUNS_PER_PAGE }) : NO_EXECUTOR;
    return c.html(runsPage(asked, query));
  });
  app.get("/runs/:id", async (c) => {
    const asked = executor ? await readRun(line, executor, c.req.param("id")) : NO_EXECUTOR;
    return c.html(runPage(c.req.param("id"), asked), asked.ok ? 200 : 404);
  });
  return serve(app, options);
}

function serveFile(app: Hono<StandInEnv>, path: string, file: string, type: string): void {
  const text = readStyle(new URL(file, import.meta.url));
  app.get(path, (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8` }));
}

async function overview({ places, line, executor }: Desk) {
  const sightings = await lookAll(line, places);
  const [seen, runs] = await Promise.all([
    Promise.all(
      sightings.map(async (place) => ({
        place,
        standing: place.control !== undefined && place.isUp ? await readStanding(line, place.control) : undefined,
      })),
    ),
    executor === undefined ? undefined : readRuns(line, executor, { limit: String(NEWEST_RUNS) }),
  ]);
  return overviewPage(seen, runs);
}

async function showStandIn(
  c: Context<StandInEnv>,
  { places, line, guard }: Desk,
  note: StandInView["note"],
  status: 200 | 400 = 200,
): Promise<Response> {
  const place = controlledPlace(places, c.req.param("id"));
  if (place === undefined) return c.notFound();
  const { control } = place;
  const [[seen], standing, scenarios, settings, calls] = await Promise.all([
    lookAll(line, [place]),
    readStanding(line, control),
    readScenarios(line, control),
    readSettings(line, control),
    readCalls(line, control, SHOWN_CALLS),
  ]);
  const view = { place: { ...place, isUp: seen?.isUp ?? false }, standing, scenarios, settings, calls, note };
  return c.html(standInPage({ ...view, token: guard.token, group: c.req.query("group") }), status);
}

/** Does what a form asks, then shows the page again: by a redirect, so that a reload does not repeat it. */
async function take(
  c: Context<StandInEnv>,
  desk: Desk,
  { action, act }: { action: string; act: (line: Line, control: string, fields: Fields) => Promise<Asked<undefined>> },
): Promise<Response> {
  const place = controlledPlace(desk.places, c.req.param("id"));
  if (place === undefined) return c.notFound();
  const fields = await desk.guard.read(c);
  if (fields === undefined)
    return c.text("This form is not from the running console. Go back and load the page again.", 403);
  const done = await act(desk.line, place.control, fields);
  if (!done.ok) return showStandIn(c, desk, { isProblem: true, text: done.problem }, 400);
  const query = new URLSearchParams({ done: action, ...(fields.group !== undefined && { group: fields.group }) });
  return c.redirect(`/stand-ins/${place.id}?${query}`, 303);
}

function controlledPlace(places: Place[], id: string | undefined): Controlled | undefined {
  const place = places.find((one) => one.id === id);
  return place?.control === undefined ? undefined : { ...place, control: place.control };
}

function noteOf(done: string | undefined): StandInView["note"] {
  const text = done === undefined ? undefined : DONE[done];
  return text === undefined ? undefined : { isProblem: false, text };
}
