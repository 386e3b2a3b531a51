import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { StandInEnv } from "./serve.ts";

const whole = (min: number) => z.int().min(min);
const texts = z.record(z.string(), z.string()).optional();

const faultRule = z.strictObject({
  /** `METHOD /path`. The method may be `*`, a path segment may be `:anything`, and `*` matches any text. */
  match: z.string().regex(/^(\*|[A-Z]+) \//, 'must look like "POST /v5/pins"'),
  /** Matches only requests with these labels; `*` matches any text. Each stand-in defines its labels. */
  where: texts,
  /** A predefined fault of this stand-in, which may simulate it itself ({@link isSimulating}), or a name for the log. */
  scenario: z.string().optional(),
  /** How many matching requests are affected. */
  times: whole(1).default(1),
  /** Stays active until it is removed; `times` is ignored. */
  forever: z.boolean().optional(),
  /** How many matching requests pass first. */
  skip: whole(0).default(0),
  /** Affects only every n-th matching request after `skip` (default 1). */
  every: whole(1).optional(),
  /** Waits before the faulty response, or before the normal one if nothing else is set. */
  delayMs: z.number().optional(),
  status: z.number().optional(),
  /** A string is sent unchanged, anything else as JSON. */
  body: z.unknown().optional(),
  headers: texts,
  /** `before` (default): the request has no effect. `creating`: it is handled, then gets the faulty response. */
  after: z.enum(["before", "creating"]).optional(),
  cut: z.boolean().optional(),
  /** Handles the request, sends the head and half of the body, then closes the connection. */
  torn: z.boolean().optional(),
  /** Never responds; ends when the client disconnects. */
  hang: z.boolean().optional(),
  /** Responds 200 with invalid JSON. */
  malformed: z.boolean().optional(),
});

const usableRule = (scenarios: FaultScenarios) =>
  faultRule.superRefine((rule, problems) => {
    const answers = [rule.cut, rule.torn, rule.hang, rule.malformed, rule.status !== undefined].filter(Boolean).length;
    const others = [rule.delayMs, rule.body, rule.headers];
    const hasEffect = answers > 0 || others.some((field) => field !== undefined);
    if (answers > 1) problems.addIssue('Set only one of "cut", "torn", "hang", "malformed" and "status"');
    else if (!hasEffect && !Object.hasOwn(scenarios, rule.scenario ?? "")) {
      problems.addIssue(
        `The fault has no effect: there is no scenario "${rule.scenario ?? ""}", and no response is set`,
      );
    }
  });

export type FaultRule = z.input<typeof faultRule>;

/** A rule with its id and counters, as `list` returns it. `seen` counts matching requests after `skip`. */
export type ActiveFault = z.output<typeof faultRule> & { id: string; seen: number };

export interface Faults {
  /** Adds a rule; one that names a scenario starts from it. @throws ZodError if the rule is not valid. */
  add(rule: object): ActiveFault;
  /** The rule that applies to this request (`METHOD /path`), if any, which is counted. `isEligible` excludes rules. */
  take(
    request: string,
    labels?: Record<string, string>,
    isEligible?: (rule: ActiveFault) => boolean,
  ): ActiveFault | undefined;
  /** Removes matching rules, by default all; returns how many were removed. */
  remove(matches?: (rule: ActiveFault) => boolean): number;
  list(): ActiveFault[];
  readonly scenarios: FaultScenarios;
}

/** A named fault with its defaults; `about` describes it. */
export type PreparedFault = Partial<Omit<FaultRule, "scenario">> & { about?: string };
export type FaultScenarios = Readonly<Record<string, PreparedFault>>;

/** Creates a store that starts with `initial`. `onChange` is called after each change, including counters. */
export function createFaults(
  scenarios: FaultScenarios = {},
  initial: readonly ActiveFault[] = [],
  onChange: () => void = () => {},
): Faults {
  const schema = usableRule(scenarios);
  let active = [...initial];
  return {
    scenarios,
    add(rule) {
      const { scenario } = Object(rule);
      const { about: _, ...prepared } = (Object.hasOwn(scenarios, scenario) && scenarios[scenario]) || {};
      const fault = { ...schema.parse({ ...prepared, ...rule }), id: crypto.randomUUID(), seen: 0 };
      active.push(fault);
      onChange();
      return fault;
    },
    take(request, labels = {}, isEligible = () => true) {
      const matching = active.filter(
        (rule) => isEligible(rule) && matchesRequest(rule.match, request) && hasLabels(labels, rule.where ?? {}),
      );
      // A rule that lets this request pass still counts it, and leaves it to the rules after it.
      const fault = matching.find(shouldApply);
      active = active.filter(({ times }) => times > 0);
      if (matching.length > 0) onChange();
      return fault;
    },
    remove(matches = () => true) {
      const before = active.length;
      active = active.filter((rule) => !matches(rule));
      onChange();
      return before - active.length;
    },
    list: () => active.map((rule) => ({ ...rule })),
  };
}

/** Counts a matching request and returns whether the rule applies to it. */
function shouldApply(rule: ActiveFault): boolean {
  if (rule.skip > 0) {
    rule.skip -= 1;
    return false;
  }
  rule.seen += 1;
  if (rule.seen % (rule.every ?? 1) !== 0) return false;
  if (!rule.forever) rule.times -= 1;
  return true;
}

function matchesRequest(match: string, request: string): boolean {
  return toPattern(withoutTrailingSlash(match).replace(/:[A-Za-z_]+/g, "\u0000")).test(withoutTrailingSlash(request));
}

function withoutTrailingSlash(request: string): string {
  return request.replace(/([^ ])\/$/, "$1");
}

function hasLabels(labels: Record<string, string>, expected: Record<string, string>): boolean {
  return Object.entries(expected).every(([name, text]) => {
    const label = labels[name];
    return label !== undefined && toPattern(text).test(label);
  });
}

/** `*` matches any text, a marked path segment any text without a slash, everything else itself. */
function toPattern(text: string): RegExp {
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", "[\\s\\S]*").replaceAll("\u0000", "[^/]+")}$`);
}

/** Reads the labels of a request that faults can match with `where`, for instance the account. */
export type LabelsOf = (c: Context<StandInEnv>) => Record<string, string> | Promise<Record<string, string>>;

/** Labels out of values of which some are missing or not texts. */
export function textsOf(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Applies the stored faults. A request that matches none is handled normally. The labels also go to the log. */
export function applyFaults(faults: Faults, labelsOf: LabelsOf): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const labels = await labelsOf(c);
    c.set("labels", labels);
    const fault = faults.take(`${c.req.method} ${c.req.path}`, labels);
    if (fault === undefined) return next();
    c.set("fault", faultName(fault));
    const isHandledFirst = fault.after === "creating" || fault.torn === true;
    if (isHandledFirst) {
      await next();
      c.set("acted", c.res.status);
    } else {
      await c.req.arrayBuffer();
    }
    if (await isStopped(fault.delayMs, c.env.closing)) return closeConnection(c);
    await applyFault(c, fault, next);
  };
}

/** Waits. Returns true if the stand-in was stopped in the meantime and the request should be dropped. */
export async function isStopped(delayMs = 0, closing: AbortSignal): Promise<boolean> {
  try {
    if (delayMs > 0) await delay(delayMs, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
  return closing.aborted;
}

function closeConnection(c: Context<StandInEnv>): void {
  c.set("isCut", true);
  c.env.outgoing.destroy();
  // Assigning over an existing response would merge its headers and lose the "already sent" marker.
  c.res = undefined;
  c.res = RESPONSE_ALREADY_SENT.clone();
}

/** Whether this predefined fault applies to the current request, and the stand-in has to simulate it itself. */
export function isSimulating(c: Context<StandInEnv>, scenario: string): boolean {
  return c.get("fault") === scenario;
}

async function applyFault(c: Context<StandInEnv>, fault: ActiveFault, next: () => Promise<void>): Promise<void> {
  if (fault.hang) await waitForClose(c);
  if (fault.torn) await sendHalfResponse(c);
  if (fault.hang || fault.cut || fault.torn) return closeConnection(c);
  if (fault.malformed || fault.status !== undefined || fault.body !== undefined) {
    c.res = undefined;
    c.res = faultResponse(fault);
    return;
  }
  if (fault.after !== "creating") await next();
  for (const [name, value] of Object.entries(fault.headers ?? {})) c.res.headers.set(name, value);
}

/** Announces the full length, so the client can tell that the body is incomplete. */
async function sendHalfResponse(c: Context<StandInEnv>): Promise<void> {
  const { outgoing } = c.env;
  if (outgoing.destroyed) return;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  outgoing.writeHead(c.res.status, { ...Object.fromEntries(c.res.headers), "content-length": bytes.length });
  await new Promise<void>((resolve) => {
    outgoing.once("close", () => resolve());
    outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => resolve());
  });
}

function faultResponse({ malformed, status = 200, body, headers }: ActiveFault): Response {
  if (malformed) return new Response('{"id": "8130', { headers: { "content-type": "application/json" } });
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
  const [text, type] = typeof body === "string" ? [body, "text/plain"] : [JSON.stringify(body), "application/json"];
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

async function waitForClose({ env: { outgoing } }: Context<StandInEnv>): Promise<void> {
  if (outgoing.destroyed) return;
  await new Promise<void>((resolve) => outgoing.once("close", () => resolve()));
}

/** The name of a fault in the log: its scenario, or else what it does. */
export function faultName({ scenario, cut, torn, hang, malformed, status }: ActiveFault): string {
  if (scenario !== undefined) return scenario;
  const kind = Object.entries({ cut, torn, hang, malformed }).find(([, isSet]) => isSet)?.[0];
  return kind ?? String(status ?? "slow");
}

/** Faults of a call that takes effect: `what` is "The pin is created". */
export function doneFaults(match: string, what: string) {
  const fault = (about: string, response: PreparedFault): PreparedFault => {
    return { match, about: `${what}, ${about}`, after: "creating", ...response };
  };
  return {
    lost: fault("then the connection closes without a response", { cut: true }),
    hanging: fault("but no response follows", { hang: true }),
    slow: fault("and the response takes 30 seconds", { delayMs: 30_000 }),
    answered: (text: string, response: PreparedFault) => fault(`but the response is ${text}`, response),
  };
}

/** Faults of any service, for the calls that `match` matches. */
export const commonFaults = (match: string) => ({
  cut: { match, about: "The connection closes, nothing is done", cut: true },
  hang: { match, about: "No response, nothing is done", hang: true },
  slow: { match, about: "A normal response, five seconds late", delayMs: 5_000 },
  malformed: { match, about: "Broken JSON, nothing is done", malformed: true },
});
