import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import type { SettingValue, ShownSetting } from "../kit/settings.ts";
import { serveFile, uiRoutes } from "../kit/ui/page.ts";
import { isSameText } from "../kit/values.ts";
import { type Result, readDetails, readRun, readRuns, readSettings, readSnapshot, send } from "./clients.ts";
import { CONSOLE_HEADERS } from "./frame.ts";
import { overviewPage, type StandInView, standInPage } from "./pages.ts";
import { runPage, runsPage } from "./run-pages.ts";

/** A service of the local environment. It is up if `probe` responds with a status below 500. */
export interface ServiceEntry {
  id: string;
  name: string;
  what: string;
  url: string;
  probe: string;
  /** Whether `url` is a page for people. */
  visit: boolean;
  /** Origin that has `/__control`. */
  control?: string;
  /** Origin that has `/v1/runs`. */
  runs?: string;
}

export interface ConsoleOptions extends ListenOptions {
  entries: ServiceEntry[];
  /** Timeout for requests to other processes (default 1.5 s). */
  deadlineMs?: number;
}

interface PageContext {
  entries: ServiceEntry[];
  deadlineMs: number;
  /** Proves that a form was rendered by this process: pages of other origins can't read it. */
  token: string;
}

const DEFAULT_DEADLINE_MS = 1_500;
const SHOWN_CALLS = 30;
const NEWEST_RUNS = 5;
const RUNS_PER_PAGE = "50";
const NO_EXECUTOR = {
  ok: false,
  problem: "No local executor runs here, because the real service is configured.",
} as const;

/** Starts the console: the services, a page for each stand-in, and durable runs. */
export function startConsole(options: ConsoleOptions): Promise<Handle> {
  const { entries, deadlineMs = DEFAULT_DEADLINE_MS } = options;
  const context: PageContext = { entries, deadlineMs, token: randomBytes(24).toString("base64url") };
  const executor = entries.find(({ runs }) => runs !== undefined)?.runs;
  const app = createApp();
  app.use("*", async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) c.res.headers.set(name, value);
  });
  app.route("/__ui", uiRoutes());
  serveFile(app, "/console.css", new URL("styles/console.css", import.meta.url));
  serveFile(app, "/refresh.js", new URL("refresh.js", import.meta.url));
  app.get("/api/services", async (c) =>
    c.json({ services: await Promise.all(entries.map((item) => probe(deadlineMs, item))) }),
  );
  app.get("/", async (c) => {
    const runs = executor === undefined ? undefined : readRuns(deadlineMs, executor, { limit: String(NEWEST_RUNS) });
    const statuses = await Promise.all(entries.map((entry) => readEntryStatus(deadlineMs, entry)));
    return c.html(overviewPage(statuses, await runs));
  });
  app.get("/stand-ins/:id", (c) =>
    showStandIn(c, context, { isProblem: false, text: MESSAGES[c.req.query("done") ?? ""] }),
  );
  for (const action of Object.keys(ACTIONS)) app.post(`/stand-ins/:id/${action}`, (c) => change(c, context, action));
  app.get("/runs", async (c) => {
    const { status, cursor } = c.req.query();
    const query = { ...(status && { status }), ...(cursor && { cursor }) };
    const runs = executor ? await readRuns(deadlineMs, executor, { ...query, limit: RUNS_PER_PAGE }) : NO_EXECUTOR;
    return c.html(runsPage(runs, query));
  });
  app.get("/runs/:id", async (c) => {
    const run = executor ? await readRun(deadlineMs, executor, c.req.param("id")) : NO_EXECUTOR;
    return c.html(runPage(c.req.param("id"), run), run.ok ? 200 : 404);
  });
  return serve(app, options);
}

async function probe(deadlineMs: number, entry: ServiceEntry): Promise<ServiceEntry & { isUp: boolean }> {
  try {
    const response = await fetch(entry.probe, { signal: AbortSignal.timeout(deadlineMs), redirect: "manual" });
    await response.body?.cancel();
    return { ...entry, isUp: response.status < 500 };
  } catch {
    // Refused, reset or timed out: the service is down.
    return { ...entry, isUp: false };
  }
}

async function readEntryStatus(deadlineMs: number, given: ServiceEntry) {
  const entry = await probe(deadlineMs, given);
  const isKnown = entry.control !== undefined && entry.isUp;
  return { entry, snapshot: isKnown ? await readSnapshot(deadlineMs, entry.control ?? "") : undefined };
}

async function showStandIn(
  c: Context<StandInEnv>,
  { entries, deadlineMs, token }: PageContext,
  note: StandInView["note"],
  status: 200 | 400 = 200,
): Promise<Response> {
  const entry = entries.find(({ id }) => id === c.req.param("id"));
  if (entry?.control === undefined) return c.notFound();
  const { control } = entry;
  const [probed, snapshot, details] = await Promise.all([
    probe(deadlineMs, entry),
    readSnapshot(deadlineMs, control),
    readDetails(deadlineMs, control, SHOWN_CALLS),
  ]);
  const view = { entry: probed, snapshot, ...details, note, token, group: c.req.query("group") };
  return c.html(standInPage(view), status);
}

type Fields = Record<string, string>;

const ACTIONS: Record<string, (deadlineMs: number, control: string, fields: Fields) => Promise<Result<unknown>>> = {
  on(deadlineMs, control, { scenario = "", times }) {
    const body = times === "forever" ? {} : { times: Number(times) };
    return send(deadlineMs, `${control}/__control/scenarios/${encodeURIComponent(scenario)}`, "POST", body);
  },
  off(deadlineMs, control, { fault = "" }) {
    const path = fault === "all" ? "" : `/${encodeURIComponent(fault)}`;
    return send(deadlineMs, `${control}/__control/faults${path}`, "DELETE");
  },
  async settings(deadlineMs, control, fields) {
    const given = (await readSettings(deadlineMs, control)).filter(({ name }) => fields[name] !== undefined);
    const values = given.map((setting) => [setting.name, settingValue(setting, fields[setting.name] ?? "")]);
    return send(deadlineMs, `${control}/__control/settings`, "PATCH", Object.fromEntries(values));
  },
};

const MESSAGES: Record<string, string> = {
  on: "Fault turned on.",
  off: "Fault turned off.",
  settings: "Settings saved.",
};

function settingValue({ type }: ShownSetting, text: string): SettingValue {
  if (type === "switch") return text === "true";
  return type === "choice" ? text : Number.parseFloat(text);
}

/** Runs the action of a form, then redirects so that a reload does not repeat it. */
async function change(c: Context<StandInEnv>, context: PageContext, action: string): Promise<Response> {
  const entry = context.entries.find(({ id }) => id === c.req.param("id"));
  if (entry?.control === undefined) return c.notFound();
  const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
  if (!isValidForm(c, context, fields)) {
    return c.text("This form is out of date. Go back and reload the page.", 403);
  }
  const done = await ACTIONS[action]?.(context.deadlineMs, entry.control, fields);
  if (!done?.ok) return showStandIn(c, context, { isProblem: true, text: done?.problem }, 400);
  const query = new URLSearchParams({ done: action, ...(fields.group !== undefined && { group: fields.group }) });
  return c.redirect(`/stand-ins/${entry.id}?${query}`, 303);
}

/** False for a form from another page, or from before the console was restarted. */
function isValidForm(c: Context<StandInEnv>, { token }: PageContext, fields: Fields): boolean {
  const origin = c.req.header("origin");
  if (origin !== undefined && URL.parse(origin)?.host !== c.req.header("host")) return false;
  return isSameText(fields.token ?? "", token);
}
