/** What a stand-in is told to do wrong. */
export interface FaultRule {
  /** `METHOD /path`; the method may be `*`, a path part may be `:anything`, and `*` stands for any text. */
  match: string;
  /** Only requests that carry these labels; `*` stands for any text. Each stand-in names its labels. */
  where?: Record<string, string>;
  /** A prepared fault of this stand-in, or a free name for the log. */
  scenario?: string;
  /** How many matching requests it strikes (default 1). */
  times?: number;
  /** How many matching requests it lets through first (default 0). */
  skip?: number;
  /** Waits before answering wrongly, or before answering rightly when nothing else is asked. */
  delayMs?: number;
  status?: number;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** `before` (default): the request is not acted on. `creating`: it is acted on, then answered wrongly. */
  after?: "before" | "creating";
  /** Destroys the connection without an answer. */
  cut?: boolean;
  /** Never answers; ends when the client leaves. */
  hang?: boolean;
  /** Answers 200 with broken JSON. */
  malformed?: boolean;
}

/** A rule with its counters, as `list` shows it. */
export type ActiveFault = FaultRule & { times: number; skip: number };

/** The faults a stand-in currently has in store. */
export interface Faults {
  /** @throws Error in plain words when the rule is not usable. */
  add(rule: FaultRule): ActiveFault;
  /** The rule that strikes this request (`METHOD /path`), if any, and counts it. */
  take(request: string, labels?: Record<string, string>): ActiveFault | undefined;
  clear(): void;
  list(): ActiveFault[];
}

/** Named faults of one stand-in: everything but where and how often. */
export type FaultScenarios = Record<string, Omit<FaultRule, "match" | "scenario">>;

/** An empty store. A rule that names one of `scenarios` starts from it; its own fields win. */
export function createFaults(scenarios: FaultScenarios = {}): Faults {
  let active: ActiveFault[] = [];
  return {
    add(rule) {
      const prepared = rule.scenario === undefined ? undefined : scenarios[rule.scenario];
      const fault = { times: 1, skip: 0, ...prepared, ...rule };
      assertUsable(fault);
      active.push(fault);
      return fault;
    },
    take(request, labels = {}) {
      const fitting = active.filter((rule) => fits(rule.match, request) && carries(labels, rule.where ?? {}));
      // A rule that still lets requests through counts this one, and leaves it to the rules after it.
      const fault = fitting.find((rule) => {
        const isDue = rule.skip === 0;
        if (!isDue) rule.skip -= 1;
        return isDue;
      });
      if (fault === undefined) return undefined;
      fault.times -= 1;
      if (fault.times === 0) active = active.filter((rule) => rule !== fault);
      return fault;
    },
    clear() {
      active = [];
    },
    list: () => active.map((rule) => ({ ...rule })),
  };
}

function assertUsable(rule: ActiveFault): void {
  if (!/^(\*|[A-Z]+) \//.test(rule.match)) throw new Error('"match" must look like "POST /v5/pins"');
  if (!Number.isInteger(rule.times) || rule.times < 1) throw new Error('"times" must be a whole number from 1');
  if (!Number.isInteger(rule.skip) || rule.skip < 0) throw new Error('"skip" must be a whole number from 0');
  const answers = [rule.cut, rule.hang, rule.malformed, rule.status !== undefined].filter(Boolean).length;
  if (answers > 1) throw new Error('Only one of "cut", "hang", "malformed" and "status" can be asked for');
  const isIdle = answers === 0 && rule.delayMs === undefined && rule.body === undefined && rule.headers === undefined;
  if (isIdle) throw new Error(`The fault does nothing: no such scenario "${rule.scenario ?? ""}" and no answer given`);
}

function fits(match: string, request: string): boolean {
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

/** `*` becomes any text, a marked path part any text without a slash, all else stands for itself. */
function toPattern(text: string): RegExp {
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", "[\\s\\S]*").replaceAll("\u0000", "[^/]+")}$`);
}
