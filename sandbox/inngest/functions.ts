import { type CronSchedule, parseCron } from "./cron.ts";
import { wakeAtMs } from "./duration.ts";
import { isRecord, messageOf } from "./protocol.ts";

/** What an expression may look at: the event that started the run and, for waiting ones, a later event. */
interface Scope {
  event: unknown;
  async?: unknown;
}

type Operand = { path: readonly string[] } | { literal: string | number | boolean | null };
/** Comparisons that must all hold. */
type Expression = readonly { left: Operand; right: Operand }[];

const TOKEN =
  /\s*(?:(&&|==)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))/y;
const WORDS = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

type Token = { sign: string } | Operand;

/**
 * Parses the part of CEL that is supported: `path == path|literal`, joined by `&&`.
 * @throws Error with one sentence on anything else.
 */
export function parseExpression(text: string): Expression {
  const tokens = tokenize(text);
  const comparisons: { left: Operand; right: Operand }[] = [];
  for (let at = 0; at < tokens.length || at === 0; at += 4) {
    const [left, equals, right, and] = tokens.slice(at, at + 4);
    const isLast = and === undefined;
    if (!isOperand(left) || !isSign(equals, "==") || !isOperand(right) || !(isLast || isSign(and, "&&"))) {
      throw unsupported(text);
    }
    if (!isLast && at + 4 >= tokens.length) throw unsupported(text);
    comparisons.push({ left, right });
  }
  return comparisons;
}

/** Whether every comparison holds; a path that leads nowhere equals nothing. */
export function holds(expression: Expression, scope: Scope): boolean {
  return expression.every(({ left, right }) => {
    const value = read(left, scope);
    return value !== undefined && value === read(right, scope);
  });
}

/**
 * A function from scope to the value of one path or literal, for concurrency keys.
 * @throws Error with one sentence on anything else.
 */
export function parseKey(text: string): (scope: Scope) => unknown {
  const [operand, ...rest] = tokenize(text);
  if (!isOperand(operand) || rest.length > 0) throw unsupported(text);
  return (scope) => read(operand, scope);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (match === null) throw unsupported(text);
    tokens.push(toToken(match));
  }
  return tokens;
}

function toToken([, sign, single, double, number, word]: RegExpExecArray): Token {
  if (sign !== undefined) return { sign };
  const quoted = single ?? double;
  if (quoted !== undefined) return { literal: quoted.replace(/\\(.)/g, "$1") };
  if (number !== undefined) return { literal: Number(number) };
  const literal = WORDS.get(word ?? "");
  return literal === undefined ? { path: (word ?? "").split(".") } : { literal };
}

function read(operand: Operand, scope: Scope): unknown {
  if ("literal" in operand) return operand.literal;
  let value: unknown = scope;
  for (const name of operand.path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isOperand(token: Token | undefined): token is Operand {
  if (token === undefined || "sign" in token) return false;
  return "literal" in token || token.path[0] === "event" || token.path[0] === "async";
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token !== undefined && "sign" in token && token.sign === sign;
}

function unsupported(text: string): Error {
  return new Error(`"${text}" is beyond \`path == path\` or \`path == literal\` joined by \`&&\``);
}

/** Starts a run: an event that fits, or a tick of the clock. */
export type Trigger =
  | { kind: "event"; event: string; expression: Expression | undefined }
  | { kind: "cron"; cron: string; schedule: CronSchedule };

/** At most `limit` calls of a function at a time, for each value of the key. */
interface ConcurrencyRule {
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
