import { type CronSchedule, parseCron } from "./cron.ts";
import { wakeAtMs } from "./duration.ts";
import { type Expression, parseExpression, parseKey, type Scope } from "./expression.ts";
import { isRecord, messageOf } from "./values.ts";

/** Starts a run: an event that fits, or a tick of the clock. */
export type Trigger =
  | { kind: "event"; event: string; expression: Expression | undefined }
  | { kind: "cron"; cron: string; schedule: CronSchedule };

/** At most `limit` calls of a function at a time, for each value of the key. */
export interface ConcurrencyRule {
  limit: number;
  keyOf(scope: Scope): unknown;
}

/** An event that ends running runs. */
export interface CancelRule {
  event: string;
  /** Compares the run's own event (`event`) with the new one (`async`). */
  expression: Expression | undefined;
  /** Until when the rule holds for a run that started then, both in milliseconds. */
  untilMs: ((startedAtMs: number) => number) | undefined;
}

/** A function of the app, as far as the executor needs it. */
export interface FunctionConfig {
  id: string;
  name: string;
  maxAttempts: number;
  triggers: readonly Trigger[];
  concurrency: readonly ConcurrencyRule[];
  cancels: readonly CancelRule[];
}

const DEFAULT_RETRIES = 4;
const MAX_RETRIES = 20;
const MAX_CANCELS = 5;
const KNOWN_KEYS = new Set(["id", "name", "triggers", "steps", "concurrency", "cancel"]);

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
    cancels: readCancels(raw.cancel),
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
  const expression = typeof raw.expression === "string" ? parseExpression(raw.expression) : undefined;
  return { kind: "event", event: raw.event, expression };
}

function readCancels(raw: unknown): CancelRule[] {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw) || raw.length > MAX_CANCELS) throw new Error(`"cancel" must be at most ${MAX_CANCELS} rules`);
  return raw.map(readCancel);
}

function readCancel(raw: unknown): CancelRule {
  if (!isRecord(raw) || typeof raw.event !== "string" || raw.event === "") throw new Error('"cancel.event" is missing');
  for (const key of Object.keys(raw)) {
    if (!["event", "if", "timeout"].includes(key)) throw new Error(`"cancel.${key}" is not supported`);
  }
  if (raw.event.includes("*")) throw new Error(`"cancel.event" has a wildcard ("${raw.event}"), not supported`);
  const { timeout } = raw;
  const isTime = timeout === undefined || (typeof timeout === "string" && wakeAtMs(timeout, 0) !== undefined);
  if (!isTime) throw new Error(`"cancel.timeout" is no duration ("${timeout}")`);
  return {
    event: raw.event,
    expression: typeof raw.if === "string" ? parseExpression(raw.if) : undefined,
    untilMs: typeof timeout === "string" ? (startedAtMs) => wakeAtMs(timeout, startedAtMs) ?? startedAtMs : undefined,
  };
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
  if (typeof key !== "string") throw new Error('"concurrency.key" must be an expression');
  return { limit, keyOf: parseKey(key) };
}
