import { z } from "zod";

const whole = (least: number) => z.int().min(least);
const texts = z.record(z.string(), z.string()).optional();

/** What a stand-in is told to do wrong. */
const faultRule = z.strictObject({
  /** `METHOD /path`; the method may be `*`, a path part may be `:anything`, and `*` stands for any text. */
  match: z.string().regex(/^(\*|[A-Z]+) \//, 'must look like "POST /v5/pins"'),
  /** Only requests that carry these labels; `*` stands for any text. Each stand-in names its labels. */
  where: texts,
  /** A prepared fault of this stand-in, or a free name for the log. */
  scenario: z.string().optional(),
  /** How many matching requests it strikes. */
  times: whole(1).default(1),
  /** Strikes until it is removed; `times` means nothing then. */
  forever: z.boolean().optional(),
  /** How many matching requests it lets through first. */
  skip: whole(0).default(0),
  /** Of the matching requests after `skip` only each n-th is struck: the n-th, the 2n-th … (default 1). */
  every: whole(1).optional(),
  /** Waits before answering wrongly, or before answering rightly when nothing else is asked. */
  delayMs: z.number().optional(),
  status: z.number().optional(),
  /** A string is sent as it is, anything else as JSON. */
  body: z.unknown().optional(),
  headers: texts,
  /** `before` (default): the request is not acted on. `creating`: it is acted on, then answered wrongly. */
  after: z.enum(["before", "creating"]).optional(),
  /** Destroys the connection without an answer. */
  cut: z.boolean().optional(),
  /** Acts, sends the head and half of the body of the right answer, then destroys the connection. */
  torn: z.boolean().optional(),
  /** Never answers; ends when the client leaves. */
  hang: z.boolean().optional(),
  /** Answers 200 with broken JSON. */
  malformed: z.boolean().optional(),
  /** The stand-in itself behaves differently; each names what it can play. */
  play: z.string().optional(),
});

const usableRule = faultRule.superRefine((rule, problems) => {
  const answers = [rule.cut, rule.torn, rule.hang, rule.malformed, rule.status !== undefined].filter(Boolean).length;
  const others = [rule.delayMs, rule.body, rule.headers, rule.play];
  if (answers > 1) {
    problems.addIssue('Only one of "cut", "torn", "hang", "malformed" and "status" can be asked for');
  } else if (answers === 0 && others.every((field) => field === undefined)) {
    problems.addIssue(`The fault does nothing: no such scenario "${rule.scenario ?? ""}" and no answer given`);
  }
});

export type FaultRule = z.input<typeof faultRule>;

/** A rule with its name and counters, as `list` shows it. `seen` counts matching requests after `skip`. */
export type ActiveFault = z.output<typeof faultRule> & { id: string; seen: number };

/** The faults a stand-in currently has in store. */
export interface Faults {
  /** Adds a rule; one that names a scenario starts from it. @throws ZodError when it is not usable. */
  add(rule: object): ActiveFault;
  /** The rule that strikes this request (`METHOD /path`), if any, and counts it; `isMeant` leaves rules out. */
  take(
    request: string,
    labels?: Record<string, string>,
    isMeant?: (rule: ActiveFault) => boolean,
  ): ActiveFault | undefined;
  /** Removes the rules that fit, by default all; returns how many there were. */
  remove(fits?: (rule: ActiveFault) => boolean): number;
  list(): ActiveFault[];
  /** The prepared faults that rules may name. */
  readonly scenarios: FaultScenarios;
}

/** A named fault of one stand-in: how it strikes and, by default, where; `about` says it in words. */
export type PreparedFault = Partial<Omit<FaultRule, "scenario">> & { about?: string };
export type FaultScenarios = Readonly<Record<string, PreparedFault>>;

/** A store of faults that begins with `initial`; `onChange` is called after each change, counters included. */
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
    take(request, labels = {}, isMeant = () => true) {
      const fitting = active.filter(
        (rule) => isMeant(rule) && fitsRequest(rule.match, request) && carries(labels, rule.where ?? {}),
      );
      // A rule that lets this request through counts it, and leaves it to the rules after it.
      const fault = fitting.find(isDue);
      active = active.filter(({ times }) => times > 0);
      if (fitting.length > 0) onChange();
      return fault;
    },
    remove(fits = () => true) {
      const before = active.length;
      active = active.filter((rule) => !fits(rule));
      onChange();
      return before - active.length;
    },
    list: () => active.map((rule) => ({ ...rule })),
  };
}

/** Counts a matching request, and says whether it is one to strike. */
function isDue(rule: ActiveFault): boolean {
  if (rule.skip > 0) {
    rule.skip -= 1;
    return false;
  }
  rule.seen += 1;
  if (rule.seen % (rule.every ?? 1) !== 0) return false;
  if (!rule.forever) rule.times -= 1;
  return true;
}

function fitsRequest(match: string, request: string): boolean {
  return toPattern(withoutLastSlash(match).replace(/:[A-Za-z_]+/g, "\u0000")).test(withoutLastSlash(request));
}

function withoutLastSlash(request: string): string {
  return request.replace(/([^ ])\/$/, "$1");
}

function carries(labels: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, text]) => {
    const label = labels[name];
    return label !== undefined && toPattern(text).test(label);
  });
}

const patterns = new Map<string, RegExp>();
const MOST_PATTERNS = 10_000;

/** `*` becomes any text, a marked path part any text without a slash, all else stands for itself. */
function toPattern(text: string): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const made = new RegExp(`^${escaped.replaceAll("*", "[\\s\\S]*").replaceAll("\u0000", "[^/]+")}$`);
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  patterns.set(text, made);
  return made;
}
