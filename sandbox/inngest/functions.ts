import { type CronSchedule, parseCron } from "./cron.ts";
import { isRecord, messageOf } from "./protocol.ts";

/** A place in the event that starts a run, as `["event", "data", "accountId"]`. */
type EventPath = readonly string[];

/** Lets an event through whose value at a place is this text. */
interface Condition {
  path: EventPath;
  text: string;
}

const PATH = /^event(?:\.[A-Za-z_]\w*)+$/;
const COMPARISON = /^(event(?:\.[A-Za-z_]\w*)+) == (?:'([^'\\]*)'|"([^"\\]*)")$/;

/** @throws Error with one sentence for anything but `event.… == 'text'`. */
function readCondition(expression: string): Condition {
  const [, path, single, double] = COMPARISON.exec(expression.trim()) ?? [];
  if (path === undefined) throw new Error(`"${expression}" is not \`event.… == 'text'\``);
  return { path: path.split("."), text: single ?? double ?? "" };
}

/** Whether an event fulfills a condition. */
export function fulfills(event: unknown, { path, text }: Condition): boolean {
  return valueAt(event, path) === text;
}

function valueAt(event: unknown, path: EventPath): unknown {
  let value: unknown = { event };
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Starts a run: an event that fits, or a tick of the clock. */
export type Trigger =
  | { kind: "event"; event: string; condition: Condition | undefined }
  | { kind: "cron"; cron: string; schedule: CronSchedule };

/** At most `limit` calls of a function at a time, for each value of the key. */
interface ConcurrencyRule {
  limit: number;
  keyOf(event: unknown): unknown;
}

/** A function of the app, as far as the executor needs it. */
export interface FunctionConfig {
  id: string;
  name: string;
  maxAttempts: number;
  triggers: readonly Trigger[];
  concurrency: readonly ConcurrencyRule[];
}

const DEFAULT_RETRIES = 4;
const MAX_RETRIES = 20;
const KNOWN_KEYS = new Set(["id", "name", "triggers", "steps", "concurrency"]);

/**
 * Reads the `functions` of an in-band sync. Whatever would be silently ignored is a problem instead:
 * one sentence each, naming the function and the key.
 */
export function readFunctions(raw: unknown): { functions: Map<string, FunctionConfig>; problems: string[] } {
  const functions = new Map<string, FunctionConfig>();
  const problems: string[] = [];
  for (const entry of Array.isArray(raw) ? raw : []) {
    if (!isRecord(entry) || typeof entry.id !== "string") {
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
  return {
    id,
    name: typeof raw.name === "string" ? raw.name : id,
    maxAttempts: readRetries(raw.steps) + 1,
    triggers: raw.triggers.map(readTrigger),
    concurrency: readConcurrency(raw.concurrency),
  };
}

function readRetries(steps: unknown): number {
  const step = isRecord(steps) ? steps.step : undefined;
  if (!isRecord(step) || !isRecord(step.runtime)) throw new Error('"steps.step.runtime" is missing');
  if (step.runtime.type !== "http")
    throw new Error('"steps.step.runtime.type" must be "http": Connect is not supported');
  const attempts = isRecord(step.retries) ? step.retries.attempts : undefined;
  if (attempts === undefined) return DEFAULT_RETRIES;
  if (typeof attempts !== "number" || !Number.isInteger(attempts) || attempts < 0 || attempts > MAX_RETRIES) {
    throw new Error(`"retries" must be between 0 and ${MAX_RETRIES}`);
  }
  return attempts;
}

function readTrigger(raw: unknown): Trigger {
  if (!isRecord(raw)) throw new Error('"triggers" holds something that is no trigger');
  for (const key of Object.keys(raw)) {
    if (!["event", "expression", "cron"].includes(key)) throw new Error(`"triggers.${key}" is not supported`);
  }
  if (typeof raw.cron === "string") return { kind: "cron", cron: raw.cron, schedule: parseCron(raw.cron) };
  if (typeof raw.event !== "string" || raw.event === "") throw new Error('"triggers" holds neither event nor cron');
  if (raw.event.includes("*")) throw new Error(`"triggers.event" has a wildcard ("${raw.event}"), not supported`);
  const condition = typeof raw.expression === "string" ? readCondition(raw.expression) : undefined;
  return { kind: "event", event: raw.event, condition };
}

function readConcurrency(raw: unknown): ConcurrencyRule[] {
  if (raw === undefined || raw === null) return [];
  const rules = Array.isArray(raw) ? raw : [raw];
  if (rules.length > 2) throw new Error('"concurrency" has more than two rules');
  return rules.map(readRule);
}

function readRule(raw: unknown): ConcurrencyRule {
  const rule: Record<string, unknown> = isRecord(raw) ? raw : { limit: raw };
  const { limit, key, scope } = rule;
  if (scope !== undefined && scope !== "fn") throw new Error('"concurrency.scope" other than "fn" is not supported');
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
    throw new Error('"concurrency.limit" must be a whole number from 1');
  }
  if (key === undefined) return { limit, keyOf: () => null };
  if (typeof key !== "string" || !PATH.test(key)) {
    throw new Error(`"concurrency.key" must be a path like event.data.accountId, not ${JSON.stringify(key)}`);
  }
  const path = key.split(".");
  return { limit, keyOf: (event) => valueAt(event, path) };
}
