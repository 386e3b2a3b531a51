import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { z } from "zod";
import { type ActiveFault, createFaults, type FaultScenarios, type Faults } from "./faults.ts";
import {
  createRequestLog,
  type LoggedRequest,
  logRequests,
  openJournal,
  type RequestLog,
  writeFileAtomically,
} from "./journal.ts";
import { type Clock, createApp, createClock, type StandInEnv } from "./serve.ts";
import { createSettings, type SettingDefinitions, type Settings, type SettingValue } from "./settings.ts";
import { uiRoutes } from "./ui/page.ts";

/** The controllable state of a stand-in. It survives a restart. */
export interface ControlState<D extends SettingDefinitions = SettingDefinitions> {
  faults: Faults;
  settings: Settings<D>;
  clock: Clock;
  log: RequestLog;
  close(): void;
}

interface SavedControl {
  faults: ActiveFault[];
  settings: Record<string, SettingValue>;
  offsetMs: number;
}

/** Opens `control.json` (faults, settings, clock) and `log.jsonl` (requests) in `dataDir`. */
export function openControlState<D extends SettingDefinitions>(
  dataDir: string,
  options: { scenarios: FaultScenarios; settings: D },
): ControlState<D> {
  const requests = openJournal<LoggedRequest>(join(dataDir, "log.jsonl"));
  const path = join(dataDir, "control.json");
  const saved = readSaved(path);
  const save = () => {
    const state: SavedControl = { faults: faults.list(), settings: settings.changed, offsetMs: clock.offsetMs };
    writeFileAtomically(path, JSON.stringify(state));
  };
  const faults = createFaults(options.scenarios, saved.faults, save);
  const settings = createSettings(options.settings, saved.settings, save);
  const clock = createClock(saved.offsetMs, save);
  return { faults, settings, clock, log: createRequestLog(requests), close: requests.close };
}

function readSaved(path: string): SavedControl {
  if (!existsSync(path)) return { faults: [], settings: {}, offsetMs: 0 };
  return JSON.parse(readFileSync(path, "utf8"));
}

/** What a stand-in contributes to the common control routes. */
interface ControlledStandIn {
  /** Counts to display: `{pins: 12, accounts: 14}`. */
  counts(): Record<string, number>;
  reset(): void;
  onClockMoved?(): void;
}

/** What the HTTP servers have in common: the log of requests, `/__control`, and the files of pages. */
export function createStandInApp(control: ControlState, standIn: ControlledStandIn): Hono<StandInEnv> {
  const app = createApp();
  app.use("*", logRequests(control));
  app.route("/__control", controlRoutes(control, standIn));
  app.route("/__ui", uiRoutes());
  return app;
}

/** The routes of `/__control`. Invalid input returns 400 `{error}`; a page of another origin gets 403. */
export function controlRoutes(
  { faults, log, clock, settings }: ControlState,
  { counts, reset, onClockMoved = () => {} }: ControlledStandIn,
): Hono<StandInEnv> {
  const app = createControlApp();
  app.use("*", rejectCrossOrigin);
  app.get("/state", (c) => {
    const state = { counts: counts(), faults: faults.list().length, requests: log.list().length };
    return c.json({ now: clock.now().toISOString(), offsetMs: clock.offsetMs, ...state, settings: settings.values });
  });
  app.get("/faults", (c) => c.json({ faults: faults.list() }));
  app.post("/faults", async (c) => c.json(faults.add(await readFields(c)), 201));
  app.delete("/faults", (c) => {
    faults.remove();
    return c.body(null, 204);
  });
  app.delete("/faults/:id", (c) => {
    const removed = faults.remove(({ id }) => id === c.req.param("id"));
    return removed === 0 ? c.json({ error: "No such fault" }, 404) : c.body(null, 204);
  });
  app.route("/scenarios", scenarioRoutes(faults));
  app.get("/log", (c) => c.json({ requests: filterRequests(log.list(), c.req.query()) }));
  app.delete("/log", (c) => {
    log.clear();
    return c.body(null, 204);
  });
  app.get("/settings", (c) => c.json({ settings: settings.list() }));
  app.patch("/settings", async (c) => {
    settings.change(await readFields(c));
    return c.json({ settings: settings.list() });
  });
  const showClock = (c: Context) => c.json({ now: clock.now().toISOString(), offsetMs: clock.offsetMs });
  app.get("/clock", showClock);
  app.post("/clock", async (c) => {
    const { offsetMs } = z.object({ offsetMs: z.number() }).parse(await readFields(c));
    clock.setOffset(offsetMs);
    onClockMoved();
    return showClock(c);
  });
  app.post("/reset", (c) => {
    faults.remove();
    log.clear();
    clock.setOffset(0);
    settings.reset();
    reset();
    return c.body(null, 204);
  });
  return app;
}

/** An app for control routes. An error thrown by a route becomes 400 `{error}`. */
export function createControlApp(): Hono<StandInEnv> {
  const app = createApp();
  app.onError((error, c) => {
    return c.json({ error: error instanceof z.ZodError ? z.prettifyError(error) : error.message }, 400);
  });
  return app;
}

/** A scenario is on while a fault with its name is stored. `POST` without `times` turns it on until it is removed. */
function scenarioRoutes(faults: Faults): Hono<StandInEnv> {
  const app = createControlApp();
  app.get("/", (c) => {
    const active = new Set(faults.list().map(({ scenario }) => scenario));
    const scenarios = Object.entries(faults.scenarios).map(([name, { about = "", match = "" }]) => {
      return { name, about, match, isOn: active.has(name) };
    });
    return c.json({ scenarios });
  });
  app.post("/:name", async (c) => {
    const scenario = c.req.param("name");
    if (!Object.hasOwn(faults.scenarios, scenario)) return c.json({ error: "No such scenario" }, 404);
    const order = await readFields(c);
    return c.json(faults.add({ forever: order.times === undefined, ...order, scenario }), 201);
  });
  app.delete("/:name", (c) => {
    faults.remove(({ scenario }) => scenario === c.req.param("name"));
    return c.body(null, 204);
  });
  return app;
}

/** `?match=POST /v5/pins` filters by call, `?after=` by `seq`; `?limit=` returns only the newest. */
function filterRequests(all: LoggedRequest[], { match, after = "0", limit }: Record<string, string>): LoggedRequest[] {
  const found = all.filter(
    ({ seq, method, path }) => seq > Number(after) && (match === undefined || match === `${method} ${path}`),
  );
  return limit === undefined ? found : found.slice(-Math.max(1, Math.trunc(Number(limit)) || 1));
}

/** The fields of a control call; empty without a body. @throws Error if the body is not a JSON object. */
export async function readFields(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text === "" ? "{}" : text));
  } catch (cause) {
    throw new Error("The body is not a JSON object", { cause });
  }
}

/** Browsers send an Origin header; programs and the console's server do not. */
const rejectCrossOrigin: MiddlewareHandler<StandInEnv> = async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined || URL.parse(origin)?.host === c.req.header("host")) return next();
  return c.json({ error: "Only programs on this machine may control a stand-in" }, 403);
};
