import { isObject } from "#sandbox/kit/values.ts";
import type { Engine } from "./engine.ts";
import { messageOf } from "./protocol.ts";
import { type CronSchedule, parseCron } from "./time.ts";

/** What starts a run: an event (for a failure handler, only failures of `failedFunctionId`), or a cron tick. */
export type Trigger =
  | { kind: "event"; event: string; failedFunctionId: string | undefined }
  | { kind: "cron"; cron: string; schedule: CronSchedule };

export interface FunctionConfig {
  id: string;
  maxAttempts: number;
  triggers: readonly Trigger[];
  /** At most `limit` concurrent calls of the function for each value of the key. */
  concurrency: readonly { limit: number; keyOf(event: unknown): unknown }[];
}

const DEFAULT_RETRIES = 4;
const MAX_RETRIES = 20;
const KNOWN_KEYS = new Set(["id", "name", "triggers", "steps", "concurrency"]);
const KEY = /^event(?:\.[A-Za-z_]\w*)+$/;
/** What the SDK writes for an `onFailure`; other expressions are not supported. */
const FAILURE_OF = /^event\.data\.function_id == '([^'\\]+)'$/;

/** Reads the `functions` of an in-band sync. Unsupported settings are reported as problems instead of being ignored. */
export function readFunctions(raw: unknown): { functions: Map<string, FunctionConfig>; problems: string[] } {
  const functions = new Map<string, FunctionConfig>();
  const problems: string[] = [];
  for (const entry of Array.isArray(raw) ? raw : []) {
    if (!isObject(entry) || typeof entry.id !== "string") {
      problems.push("The app reported a function without an id");
      continue;
    }
    try {
      functions.set(entry.id, readFunction(entry.id, entry));
    } catch (error) {
      problems.push(`Function "${entry.id}": ${messageOf(error)}`);
    }
  }
  if (functions.size === 0 && problems.length === 0) problems.push("The app reported no functions");
  return { functions, problems };
}

function readFunction(id: string, raw: Record<string, unknown>): FunctionConfig {
  for (const [key, value] of Object.entries(raw)) {
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!KNOWN_KEYS.has(key) && !isEmpty) throw new Error(`"${key}" is not supported by this executor`);
  }
  if (!Array.isArray(raw.triggers)) throw new Error('"triggers" is missing');
  const rules = [raw.concurrency ?? []].flat();
  if (rules.length > 2) throw new Error('"concurrency" has more than two rules');
  return {
    id,
    maxAttempts: readRetries(raw.steps) + 1,
    triggers: raw.triggers.map(readTrigger),
    concurrency: rules.map(readConcurrencyRule),
  };
}

function readRetries(steps: unknown): number {
  const step = isObject(steps) ? steps.step : undefined;
  if (!isObject(step) || !isObject(step.runtime)) throw new Error('"steps.step.runtime" is missing');
  if (step.runtime.type !== "http") throw new Error('"steps.step.runtime.type" must be "http": no Connect');
  const attempts = isObject(step.retries) ? step.retries.attempts : undefined;
  if (attempts === undefined) return DEFAULT_RETRIES;
  if (typeof attempts === "number" && Number.isInteger(attempts) && attempts >= 0 && attempts <= MAX_RETRIES) {
    return attempts;
  }
  throw new Error(`"retries" must be between 0 and ${MAX_RETRIES}`);
}

function readTrigger(raw: unknown): Trigger {
  if (!isObject(raw)) throw new Error('"triggers" contains an invalid trigger');
  const { event, expression, cron, ...others } = raw;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`"triggers.${unknown}" is not supported`);
  if (typeof cron === "string") return { kind: "cron", cron, schedule: parseCron(cron) };
  if (typeof event !== "string" || event === "") throw new Error('"triggers" needs an event or a cron schedule');
  if (event.includes("*")) throw new Error(`"triggers.event" has a wildcard ("${event}"), not supported`);
  if (typeof expression !== "string") return { kind: "event", event, failedFunctionId: undefined };
  const failedFunctionId = FAILURE_OF.exec(expression)?.[1];
  if (failedFunctionId === undefined) throw new Error(`"triggers.expression" is not supported ("${expression}")`);
  return { kind: "event", event, failedFunctionId };
}

function readConcurrencyRule(raw: unknown): FunctionConfig["concurrency"][number] {
  const { limit, key, scope = "fn" } = isObject(raw) ? raw : { limit: raw, key: undefined };
  if (scope !== "fn") throw new Error('"concurrency.scope" other than "fn" is not supported');
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
    throw new Error('"concurrency.limit" must be a whole number of at least 1');
  }
  if (key === undefined) return { limit, keyOf: () => null };
  if (typeof key !== "string" || !KEY.test(key)) {
    throw new Error(`"concurrency.key" must be a path like event.data.accountId, not ${JSON.stringify(key)}`);
  }
  const path = key.split(".");
  return { limit, keyOf: (event) => path.reduce(memberOf, { event }) };
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Fetches the app's functions and uses them if all are supported. Never throws: the registry holds the problems.
 * `ownOrigins` is where the app must send its events, unless another executor uses the same database.
 */
export async function syncOnce(engine: Engine, ownOrigins: readonly string[], signal: AbortSignal): Promise<void> {
  const { registry } = engine;
  try {
    const payload = await engine.app.sync(signal);
    const { functions, problems } = readFunctions(payload.functions);
    const { rows } = await engine.db.query<{ url: string }>("select url from worker");
    const all = [...problems, ...inspect(payload.inspection, [...ownOrigins, ...rows.map((row) => row.url)])];
    for (const problem of all) engine.log(`executor: NOT READY: ${problem}`);
    if (all.length === 0) {
      if (registry.syncedAtMs === undefined) engine.log(`executor: synced ${functions.size} functions`);
      registry.functions = functions;
      registry.syncedAtMs = Date.now();
    }
    registry.problems = all;
    registry.failure = undefined;
  } catch (error) {
    const failure = messageOf(error);
    const isUnreachable = error instanceof Error && "code" in error;
    // An app that has not started yet is expected; other failures are logged, and so is an app that went away.
    if (!isUnreachable || (registry.syncedAtMs !== undefined && registry.failure === undefined)) {
      engine.log(`executor: sync failed: ${failure}`);
    }
    registry.failure = failure;
  }
}

/** Checks that the app runs in signed mode and sends its events to one of these executors; the first is this one. */
function inspect(inspection: unknown, origins: readonly string[]): string[] {
  if (!isObject(inspection)) return [];
  const isOurs = (origin: unknown) =>
    typeof origin !== "string" || origins.some((own) => isSameServer(new URL(origin), new URL(own)));
  const elsewhere = ["api_origin", "event_api_origin"].filter((key) => !isOurs(inspection[key]));
  return [
    ...(inspection.mode === "cloud"
      ? []
      : ["The app runs Inngest in dev mode and does not check signatures: unset INNGEST_DEV"]),
    ...elsewhere.map(
      (key) => `The app's "${key}" is ${inspection[key]}, but this executor is ${origins[0]}: set INNGEST_BASE_URL`,
    ),
  ];
}

function isSameServer(origin: URL, own: URL): boolean {
  const isLocal = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const isEverywhere = ["0.0.0.0", "[::]"].includes(own.hostname);
  const isSameHost = origin.hostname === own.hostname || isEverywhere || (isLocal(origin) && isLocal(own));
  return origin.port === own.port && isSameHost;
}
