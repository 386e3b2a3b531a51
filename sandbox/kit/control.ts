import { join } from "node:path";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { createFaults, type FaultEvent, type FaultScenarios, type Faults, foldFaults, parseFault } from "./faults.ts";
import { createRequestLog, type Journal, type LoggedRequest, openJournal, type RequestLog } from "./journal.ts";
import { type Clock, createApp, createClock, type StandInEnv } from "./serve.ts";
import { createSettings, type SettingDefinitions, type Settings, type SettingValue } from "./settings.ts";

/** What a stand-in can be told while it runs. It outlives a restart. */
export interface ControlState<D extends SettingDefinitions> {
  faults: Faults;
  settings: Settings<D>;
  clock: Clock;
  log: RequestLog;
  close(): void;
}

type ControlEvent =
  | FaultEvent
  | { kind: "settings"; values: Record<string, SettingValue> }
  | { kind: "clock"; offsetMs: number };

/** Opens `control.jsonl` (faults, settings, clock) and `log.jsonl` (requests) in `dataDir`. */
export function openControlState<D extends SettingDefinitions>(
  dataDir: string,
  { scenarios, settings }: { scenarios: FaultScenarios; settings: D },
): ControlState<D> {
  const journal = openJournal<ControlEvent>(join(dataDir, "control.jsonl"));
  const log = openJournal<LoggedRequest>(join(dataDir, "log.jsonl"));
  const saved = compact(journal);
  const clock = createClock(saved.offsetMs, (offsetMs) => journal.append({ kind: "clock", offsetMs }));
  return {
    faults: createFaults(scenarios, { initial: saved.faults, record: (event) => journal.append(event) }),
    settings: createSettings(settings, saved.values, (values) => journal.append({ kind: "settings", values })),
    clock,
    log: createRequestLog(log),
    close() {
      journal.close();
      log.close();
    },
  };
}

/** Reads what was saved, and writes it down anew without its past. */
function compact(journal: Journal<ControlEvent>) {
  const { entries } = journal;
  const faults = foldFaults(entries.filter(isFaultEvent));
  const values = entries.findLast((event) => event.kind === "settings")?.values ?? {};
  const offsetMs = entries.findLast((event) => event.kind === "clock")?.offsetMs ?? 0;
  journal.replace([
    { kind: "settings", values },
    { kind: "clock", offsetMs },
    ...faults.map((fault): ControlEvent => ({ kind: "fault", fault })),
  ]);
  return { faults, values, offsetMs };
}

function isFaultEvent(event: ControlEvent): event is FaultEvent {
  return event.kind !== "settings" && event.kind !== "clock";
}

/** What the control routes of a stand-in act on. `reset` brings its data back to the first start. */
interface Controlled {
  faults: Faults;
  log: RequestLog;
  clock?: Clock;
  settings?: Settings<SettingDefinitions>;
  /** What it holds, for people: `{pins: 12, accounts: 14}`. */
  counts?(): Record<string, number>;
  reset(): void | Promise<void>;
}

/**
 * Routes to mount under `/__control`: `GET /state`, `GET|POST|DELETE /faults`, `DELETE /faults/:id`, `GET /scenarios`,
 * `POST|DELETE /scenarios/:name`, `GET|POST|PATCH /settings`, `GET|DELETE /log`, `GET|POST /clock {offsetMs}` and
 * `POST /reset`. What cannot be used is answered 400 `{error}`, a page of another origin 403.
 */
export function controlRoutes(controlled: Controlled): Hono<StandInEnv> {
  const { faults, log, clock, settings } = controlled;
  const app = createApp();
  app.use("*", refuseForeignPages);
  app.get("/state", (c) => c.json(stateOf(controlled)));
  app.get("/faults", (c) => c.json({ faults: faults.list() }));
  app.post("/faults", (c) => orProblem(c, async () => c.json(faults.add(parseFault(await readJson(c))), 201)));
  app.delete("/faults", (c) => {
    faults.clear();
    return c.body(null, 204);
  });
  app.delete("/faults/:id", (c) => {
    const removed = faults.remove(({ id }) => id === c.req.param("id"));
    return removed === 0 ? c.json({ error: "No such fault" }, 404) : c.body(null, 204);
  });
  app.route("/scenarios", scenarioRoutes(faults));
  app.get("/log", (c) => c.json({ requests: chooseRequests(log.list(), c.req.query()) }));
  app.delete("/log", (c) => {
    log.clear();
    return c.body(null, 204);
  });
  if (settings !== undefined) app.route("/settings", settingRoutes(settings));
  if (clock !== undefined) app.route("/clock", clockRoutes(clock));
  app.post("/reset", async (c) => {
    faults.clear();
    log.clear();
    clock?.setOffset(0);
    settings?.reset();
    await controlled.reset();
    return c.body(null, 204);
  });
  return app;
}

/** A scenario is on while a fault of its name is stored. `POST` without `times` switches it on until it is taken off. */
function scenarioRoutes(faults: Faults): Hono<StandInEnv> {
  const app = createApp();
  app.get("/", (c) => {
    const active = faults.list();
    const scenarios = Object.entries(faults.scenarios).map(([name, { about = "", match }]) => {
      const count = active.filter(({ scenario }) => scenario === name).length;
      return { name, about, match: match ?? null, isOn: count > 0, active: count };
    });
    return c.json({ scenarios });
  });
  app.post("/:name", (c) =>
    orProblem(c, async () => {
      const scenario = c.req.param("name");
      if (!Object.hasOwn(faults.scenarios, scenario)) return c.json({ error: "No such scenario" }, 404);
      const order = parseFault({ ...Object(await readJson(c)), scenario });
      return c.json(faults.add({ ...(order.times === undefined && { forever: true }), ...order }), 201);
    }),
  );
  app.delete("/:name", (c) => {
    faults.remove(({ scenario }) => scenario === c.req.param("name"));
    return c.body(null, 204);
  });
  return app;
}

function settingRoutes(settings: Settings<SettingDefinitions>): Hono<StandInEnv> {
  const app = createApp();
  app.get("/", (c) => c.json({ settings: settings.list() }));
  app.on(["PATCH", "POST"], "/", (c) =>
    orProblem(c, async () => {
      settings.change(await readJson(c));
      return c.json({ settings: settings.list() });
    }),
  );
  return app;
}

function clockRoutes(clock: Clock): Hono<StandInEnv> {
  const app = createApp();
  const show = () => ({ now: clock.now().toISOString(), offsetMs: clock.offsetMs });
  app.get("/", (c) => c.json(show()));
  app.post("/", (c) =>
    orProblem(c, async () => {
      const { offsetMs } = Object(await readJson(c));
      if (typeof offsetMs !== "number" || !Number.isFinite(offsetMs)) throw new Error('"offsetMs" must be a number');
      clock.setOffset(offsetMs);
      return c.json(show());
    }),
  );
  return app;
}

function stateOf({ faults, log, clock, settings, counts }: Controlled): Record<string, unknown> {
  return {
    now: (clock?.now() ?? new Date()).toISOString(),
    offsetMs: clock?.offsetMs ?? 0,
    counts: counts?.() ?? {},
    faults: faults.list().length,
    requests: log.list().length,
    settings: { ...settings?.values },
  };
}

/** `?match=POST /v5/pins` keeps one call, `?after=` what came behind a `seq`, `?limit=` the newest. */
function chooseRequests(all: LoggedRequest[], query: Record<string, string>): LoggedRequest[] {
  const after = Number(query.after ?? 0);
  const found = all.filter(
    ({ seq, method, path }) => seq > after && (query.match === undefined || query.match === `${method} ${path}`),
  );
  return query.limit === undefined ? found : found.slice(-Math.max(1, Math.trunc(Number(query.limit)) || 1));
}

/** A call without a body means an empty object. @throws Error in plain words for what is not JSON. */
async function readJson(c: Context<StandInEnv>): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch (cause) {
    throw new Error("The body is not JSON", { cause });
  }
}

async function orProblem(c: Context<StandInEnv>, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    return c.json({ error: error instanceof Error ? error.message : String(error) }, 400);
  }
}

/** Browsers name the origin of a page that sends; programs and the console's server send none. */
const refuseForeignPages: MiddlewareHandler<StandInEnv> = async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined || URL.parse(origin)?.host === c.req.header("host")) return next();
  return c.json({ error: "Only this machine's own programs may control a stand-in" }, 403);
};
