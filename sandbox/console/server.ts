import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, Hono } from "hono";
import { lookRoutes, readStyle } from "../kit/look/page.ts";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import type { SettingValue, ShownSetting } from "../kit/settings.ts";
import {
  type Client,
  type Result,
  readDetails,
  readRun,
  readRuns,
  readSettings,
  readStanding,
  send,
} from "./clients.ts";
import { CONSOLE_HEADERS } from "./frame.ts";
import { overviewPage, type StandInView, standInPage } from "./pages.ts";
import { runPage, runsPage } from "./run-pages.ts";

/** One place of the local environment. `probe` is asked for a sign of life; any answer below 500 counts. */
export interface Place {
  /** In the console's own addresses. */
  id: string;
  name: string;
  what: string;
  url: string;
  probe: string;
  /** A page for people stands at `url`. */
  visit: boolean;
  /** Origin that has `/__control`. */
  control?: string;
  /** Origin that has `/v1/runs`. */
  runs?: string;
}

export interface ConsoleOptions extends ListenOptions {
  places: Place[];
  /** How long any other process may take before it counts as silent (default 1.5 s). */
  deadlineMs?: number;
}

/** What the pages are made with. */
interface PageContext {
  places: Place[];
  client: Client;
  /** Proves that a form was made by this process: pages of other origins cannot read it. */
  token: string;
}

const USUAL_DEADLINE_MS = 1_500;
const SHOWN_CALLS = 30;
const NEWEST_RUNS = 5;
const RUNS_PER_PAGE = "50";
const NO_EXECUTOR = { ok: false, problem: "There is none here: the real service is configured." } as const;

/**
 * Starts the console: `/` links the stand-ins and shows how they stand, `/stand-ins/:id` switches faults and settings,
 * `/runs` and `/runs/:id` show durable runs, `GET /api/places` says as JSON which places are up.
 */
export function startConsole(options: ConsoleOptions): Promise<Handle> {
  const { places, deadlineMs = USUAL_DEADLINE_MS } = options;
  const client = { deadlineMs };
  const context: PageContext = { places, client, token: randomBytes(24).toString("base64url") };
  const executor = places.find(({ runs }) => runs !== undefined)?.runs;
  const app = createApp();
  app.use("*", async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) c.res.headers.set(name, value);
  });
  app.route("/__look", lookRoutes());
  serveFile(app, "/console.css", "look/console.css", "text/css");
  serveFile(app, "/refresh.js", "refresh.js", "text/javascript");
  app.get("/api/places", async (c) => c.json({ places: await Promise.all(places.map((one) => probe(client, one))) }));
  app.get("/", async (c) => {
    const runs = executor === undefined ? undefined : readRuns(client, executor, { limit: String(NEWEST_RUNS) });
    const seen = await Promise.all(places.map((place) => readPlace(client, place)));
    return c.html(overviewPage(seen, await runs));
  });
  app.get("/stand-ins/:id", (c) =>
    showStandIn(c, context, { isProblem: false, text: DONE[c.req.query("done") ?? ""] }),
  );
  for (const action of Object.keys(ACTIONS)) app.post(`/stand-ins/:id/${action}`, (c) => change(c, context, action));
  app.get("/runs", async (c) => {
    const { status, cursor } = c.req.query();
    const query = { ...(status && { status }), ...(cursor && { cursor }) };
    const runs = executor ? await readRuns(client, executor, { ...query, limit: RUNS_PER_PAGE }) : NO_EXECUTOR;
    return c.html(runsPage(runs, query));
  });
  app.get("/runs/:id", async (c) => {
    const run = executor ? await readRun(client, executor, c.req.param("id")) : NO_EXECUTOR;
    return c.html(runPage(c.req.param("id"), run), run.ok ? 200 : 404);
  });
  return serve(app, options);
}

function serveFile(app: Hono<StandInEnv>, path: string, file: string, type: string): void {
  const text = readStyle(new URL(file, import.meta.url));
  app.get(path, (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8` }));
}

async function probe({ deadlineMs }: Client, place: Place): Promise<Place & { isUp: boolean }> {
  try {
    const response = await fetch(place.probe, { signal: AbortSignal.timeout(deadlineMs), redirect: "manual" });
    await response.body?.cancel();
    return { ...place, isUp: response.status < 500 };
  } catch {
    // Refused, reset or silent: each of them is what "down" means here.
    return { ...place, isUp: false };
  }
}

async function readPlace(client: Client, given: Place) {
  const place = await probe(client, given);
  const isKnown = place.control !== undefined && place.isUp;
  return { place, standing: isKnown ? await readStanding(client, place.control ?? "") : undefined };
}

async function showStandIn(
  c: Context<StandInEnv>,
  { places, client, token }: PageContext,
  note: StandInView["note"],
  status: 200 | 400 = 200,
): Promise<Response> {
  const place = places.find(({ id }) => id === c.req.param("id"));
  if (place?.control === undefined) return c.notFound();
  const { control } = place;
  const [probed, standing, details] = await Promise.all([
    probe(client, place),
    readStanding(client, control),
    readDetails(client, control, SHOWN_CALLS),
  ]);
  const view = { place: probed, standing, ...details, note, token, group: c.req.query("group") };
  return c.html(standInPage(view), status);
}

type Fields = Record<string, string>;

/** What the forms do at a stand-in. */
const ACTIONS: Record<string, (client: Client, control: string, fields: Fields) => Promise<Result<unknown>>> = {
  on(client, control, { scenario = "", times }) {
    const body = times === "forever" ? {} : { times: Number(times) };
    return send(client, `${control}/__control/scenarios/${encodeURIComponent(scenario)}`, "POST", body);
  },
  off(client, control, { fault = "" }) {
    const path = fault === "all" ? "" : `/${encodeURIComponent(fault)}`;
    return send(client, `${control}/__control/faults${path}`, "DELETE");
  },
  async settings(client, control, fields) {
    const given = (await readSettings(client, control)).filter(({ name }) => fields[name] !== undefined);
    const values = given.map((setting) => [setting.name, settingValue(setting, fields[setting.name] ?? "")]);
    return send(client, `${control}/__control/settings`, "PATCH", Object.fromEntries(values));
  },
};

const DONE: Record<string, string> = {
  on: "The fault is on.",
  off: "Switched off.",
  settings: "The settings are saved.",
};

function settingValue({ type }: ShownSetting, text: string): SettingValue {
  if (type === "switch") return text === "true";
  return type === "choice" ? text : Number.parseFloat(text);
}

/** Does what a form asks, then shows the page again: by a redirect, so that a reload does not repeat it. */
async function change(c: Context<StandInEnv>, context: PageContext, action: string): Promise<Response> {
  const place = context.places.find(({ id }) => id === c.req.param("id"));
  if (place?.control === undefined) return c.notFound();
  const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
  if (!isOurForm(c, context, fields)) {
    return c.text("This form is not from the running console. Go back and load the page again.", 403);
  }
  const done = await ACTIONS[action]?.(context.client, place.control, fields);
  if (!done?.ok) return showStandIn(c, context, { isProblem: true, text: done?.problem }, 400);
  const query = new URLSearchParams({ done: action, ...(fields.group !== undefined && { group: fields.group }) });
  return c.redirect(`/stand-ins/${place.id}?${query}`, 303);
}

/** False for a form from elsewhere, or from before the console was restarted. */
function isOurForm(c: Context<StandInEnv>, { token }: PageContext, fields: Fields): boolean {
  const origin = c.req.header("origin");
  if (origin !== undefined && URL.parse(origin)?.host !== c.req.header("host")) return false;
  const given = Buffer.from(fields.token ?? "");
  return given.length === token.length && timingSafeEqual(given, Buffer.from(token));
}
