import type { Context, Hono } from "hono";
import type { Clock } from "./clock.ts";
import type { FaultRule, Faults } from "./faults.ts";
import type { RequestLog } from "./request-log.ts";
import { createApp, type StandInEnv } from "./serve.ts";

/** What the control routes of a stand-in act on. `reset` brings its data back to the first start. */
export interface Controlled {
  faults: Faults;
  log: RequestLog;
  clock?: Clock;
  reset(): void | Promise<void>;
}

const RULE_FIELDS = new Map<string, string>([
  ["match", "string"],
  ["where", "object"],
  ["scenario", "string"],
  ["times", "number"],
  ["skip", "number"],
  ["delayMs", "number"],
  ["status", "number"],
  ["headers", "object"],
  ["after", "string"],
  ["cut", "boolean"],
  ["hang", "boolean"],
  ["malformed", "boolean"],
]);

/**
 * Routes to mount under `/__control`: `GET|POST|DELETE /faults`, `GET|DELETE /log`, `POST /reset`, and with a
 * clock `POST /clock {offsetMs}`. An unusable rule is answered 400 `{error}`.
 */
export function controlRoutes({ faults, log, clock, reset }: Controlled): Hono<StandInEnv> {
  const app = createApp();
  app.get("/faults", (c) => c.json({ faults: faults.list() }));
  app.post("/faults", async (c) => {
    try {
      return c.json(faults.add(parseRule(await c.req.json())), 201);
    } catch (error) {
      return c.json({ error: error instanceof Error ? error.message : String(error) }, 400);
    }
  });
  app.delete("/faults", (c) => {
    faults.clear();
    return c.body(null, 204);
  });
  app.get("/log", (c) => c.json({ requests: log.list() }));
  app.delete("/log", (c) => {
    log.clear();
    return c.body(null, 204);
  });
  if (clock !== undefined) app.post("/clock", async (c) => moveClock(c, clock));
  app.post("/reset", async (c) => {
    faults.clear();
    log.clear();
    clock?.setOffset(0);
    await reset();
    return c.body(null, 204);
  });
  return app;
}

async function moveClock(c: Context<StandInEnv>, clock: Clock): Promise<Response> {
  const body: unknown = await c.req.json();
  const offsetMs = typeof body === "object" && body !== null && "offsetMs" in body ? body.offsetMs : undefined;
  if (typeof offsetMs !== "number" || !Number.isFinite(offsetMs)) {
    return c.json({ error: '"offsetMs" must be a number' }, 400);
  }
  clock.setOffset(offsetMs);
  return c.json({ now: clock.now().toISOString() });
}

function parseRule(body: unknown): FaultRule {
  if (typeof body !== "object" || body === null) throw new Error("A fault is a JSON object");
  for (const [field, value] of Object.entries(body)) {
    const type = RULE_FIELDS.get(field);
    if (type === undefined && field !== "body") throw new Error(`A fault has no field "${field}"`);
    if (type !== undefined && (typeof value !== type || value === null))
      throw new Error(`"${field}" must be a ${type}`);
  }
  if (!("match" in body)) throw new Error('A fault needs "match"');
  if ("after" in body && body.after !== "before" && body.after !== "creating") {
    throw new Error('"after" is "before" or "creating"');
  }
  return checkedRule(body);
}

/** Every field was checked above; TypeScript cannot follow the table. */
function checkedRule(body: object): FaultRule {
  return body as FaultRule;
}
