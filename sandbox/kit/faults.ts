import { z } from "zod";

const whole = (min: number) => z.int().min(min);
const texts = z.record(z.string(), z.string()).optional();

/** A fault that a stand-in should simulate. */
const faultRule = z.strictObject({
  /** `METHOD /path`. The method may be `*`, a path segment may be `:anything`, and `*` matches any text. */
  match: z.string().regex(/^(\*|[A-Z]+) \//, 'must look like "POST /v5/pins"'),
  /** Matches only requests with these labels; `*` matches any text. Each stand-in defines its labels. */
  where: texts,
  /** A predefined fault of this stand-in, or any name for the log. */
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
  /** Closes the connection without a response. */
  cut: z.boolean().optional(),
  /** Handles the request, sends the head and half of the body, then closes the connection. */
  torn: z.boolean().optional(),
  /** Never responds; ends when the client disconnects. */
  hang: z.boolean().optional(),
  /** Responds 200 with invalid JSON. */
  malformed: z.boolean().optional(),
  /** The stand-in itself behaves differently; each one defines the behaviors it can simulate. */
  play: z.string().optional(),
});

const usableRule = faultRule.superRefine((rule, problems) => {
  const answers = [rule.cut, rule.torn, rule.hang, rule.malformed, rule.status !== undefined].filter(Boolean).length;
  const others = [rule.delayMs, rule.body, rule.headers, rule.play];
  if (answers > 1) {
    problems.addIssue('Set only one of "cut", "torn", "hang", "malformed" and "status"');
  } else if (answers === 0 && others.every((field) => field === undefined)) {
    problems.addIssue(`The fault has no effect: there is no scenario "${rule.scenario ?? ""}", and no response is set`);
  }
});

export type FaultRule = z.input<typeof faultRule>;

/** A rule with its id and counters, as `list` returns it. `seen` counts matching requests after `skip`. */
export type ActiveFault = z.output<typeof faultRule> & { id: string; seen: number };

/** The active faults of a stand-in. */
export interface Faults {
  /** Adds a rule; one that names a scenario starts from it. @throws ZodError if the rule is not valid. */
  add(rule: object): ActiveFault;
  /**
   * Returns the rule that applies to this request (`METHOD /path`), if any, and counts it. `isEligible` excludes rules.
   */
  take(
    request: string,
    labels?: Record<string, string>,
    isEligible?: (rule: ActiveFault) => boolean,
  ): ActiveFault | undefined;
  /** Removes matching rules, by default all; returns how many were removed. */
  remove(matches?: (rule: ActiveFault) => boolean): number;
  list(): ActiveFault[];
  /** The predefined faults that rules may name. */
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
  let active = [...initial];
  return {
    scenarios,
    add(rule) {
      const { scenario } = Object(rule);
      const { about: _, ...prepared } = (Object.hasOwn(scenarios, scenario) && scenarios[scenario]) || {};
      const fault = { ...usableRule.parse({ ...prepared, ...rule }), id: crypto.randomUUID(), seen: 0 };
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

const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 10_000;

/** `*` matches any text, a marked path segment any text without a slash, everything else itself. */
function toPattern(text: string): RegExp {
  const cached = patterns.get(text);
  if (cached !== undefined) return cached;
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`^${escaped.replaceAll("*", "[\\s\\S]*").replaceAll("\u0000", "[^/]+")}$`);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}
