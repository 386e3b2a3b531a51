/** A rule as it arrives: `match` may come from the scenario. */
type FaultOrder = Omit<FaultRule, "match"> & { match?: string };

const RULE_FIELDS = new Map<string, string>([
  ["match", "string"],
  ["where", "object"],
  ["scenario", "string"],
  ["times", "number"],
  ["forever", "boolean"],
  ["skip", "number"],
  ["every", "number"],
  ["delayMs", "number"],
  ["status", "number"],
  ["headers", "object"],
  ["after", "string"],
  ["cut", "boolean"],
  ["torn", "boolean"],
  ["hang", "boolean"],
  ["malformed", "boolean"],
  ["play", "string"],
]);

/**
 * Reads the body of a call that adds a fault.
 * @throws Error in plain words when a field is unknown or of the wrong type.
 */
export function parseFault(body: unknown): FaultOrder {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Error("A fault is a JSON object");
  for (const [field, value] of Object.entries(body)) {
    const type = RULE_FIELDS.get(field);
    if (type === undefined && field !== "body") throw new Error(`A fault has no field "${field}"`);
    if (type !== undefined && (typeof value !== type || value === null))
      throw new Error(`"${field}" must be a ${type}`);
  }
  for (const field of ["where", "headers"]) assertTexts(field, Reflect.get(body, field));
  if (!("match" in body) && !("scenario" in body)) throw new Error('A fault needs "match"');
  if ("after" in body && body.after !== "before" && body.after !== "creating") {
    throw new Error('"after" is "before" or "creating"');
  }
  return checkedOrder(body);
}

function assertTexts(field: string, value: unknown): void {
  if (value === undefined) return;
  const isTexts = Object.values(Object(value)).every((text) => typeof text === "string");
  if (!isTexts) throw new Error(`The values in "${field}" must be strings`);
}

/** Every field was checked above; TypeScript cannot follow the table. */
function checkedOrder(body: object): FaultOrder {
  return body as FaultOrder;
}

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
  /** Strikes until it is taken away; `times` means nothing then. */
  forever?: boolean;
  /** How many matching requests it lets through first (default 0). */
  skip?: number;
  /** Of the matching requests behind `skip` only each n-th is struck: the n-th, the 2n-th … (default 1). */
  every?: number;
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
  /** Acts, sends the head and half of the body of the right answer, then destroys the connection. */
  torn?: boolean;
  /** Never answers; ends when the client leaves. */
  hang?: boolean;
  /** Answers 200 with broken JSON. */
  malformed?: boolean;
  /** The stand-in itself behaves differently; each names what it can play. */
  play?: string;
}

/** A rule with its name and counters, as `list` shows it. `seen` counts matching requests behind `skip`. */
export type ActiveFault = FaultRule & { id: string; times: number; skip: number; seen: number };

/** The counters of a rule after a request. */
type FaultCount = Pick<ActiveFault, "id" | "times" | "skip" | "seen">;

/** What happened to the stored faults; applied in order to none they give what is stored. */
export type FaultEvent =
  | { kind: "fault"; fault: ActiveFault }
  | { kind: "counted"; count: FaultCount }
  | { kind: "removed"; id: string };

/** The faults a stand-in currently has in store. */
export interface Faults {
  /** @throws Error in plain words when the rule is not usable. */
  add(rule: Omit<FaultRule, "match"> & { match?: string }): ActiveFault;
  /** The rule that strikes this request (`METHOD /path`), if any, and counts it; `isMeant` leaves rules out. */
  take(
    request: string,
    labels?: Record<string, string>,
    isMeant?: (rule: ActiveFault) => boolean,
  ): ActiveFault | undefined;
  /** Takes away the rules that fit, by default all; returns how many there were. */
  remove(fits?: (rule: ActiveFault) => boolean): number;
  clear(): void;
  list(): ActiveFault[];
  /** The prepared faults that rules may name. */
  readonly scenarios: FaultScenarios;
}

/** A named fault of one stand-in: how it strikes and, by default, where; `about` says it in words. */
export type PreparedFault = Partial<Omit<FaultRule, "scenario">> & { about?: string };
export type FaultScenarios = Readonly<Record<string, PreparedFault>>;

/** Where a store of faults comes from and where it writes down what happens to it. */
interface FaultMemory {
  initial: readonly ActiveFault[];
  record(event: FaultEvent): void;
}

const FORGETFUL: FaultMemory = { initial: [], record: () => {} };

/** A store of faults. A rule that names one of `scenarios` starts from it; its own fields win. */
export function createFaults(scenarios: FaultScenarios = {}, memory: FaultMemory = FORGETFUL): Faults {
  let active: ActiveFault[] = memory.initial.map((rule) => ({ ...rule }));
  const remove: Faults["remove"] = (fits = () => true) => {
    const gone = active.filter(fits);
    active = active.filter((rule) => !gone.includes(rule));
    for (const { id } of gone) memory.record({ kind: "removed", id });
    return gone.length;
  };
  return {
    scenarios,
    add(rule) {
      const { about: _, ...prepared } = (rule.scenario === undefined ? undefined : scenarios[rule.scenario]) ?? {};
      const fault = { match: "", times: 1, skip: 0, ...prepared, ...rule, id: crypto.randomUUID(), seen: 0 };
      assertUsable(fault);
      active.push(fault);
      memory.record({ kind: "fault", fault });
      return { ...fault };
    },
    take(request, labels = {}, isMeant = () => true) {
      const fitting = active.filter(
        (rule) => isMeant(rule) && fitsRequest(rule.match, request) && carries(labels, rule.where ?? {}),
      );
      // A rule that lets this request through counts it, and leaves it to the rules after it.
      const fault = fitting.find((rule) => {
        const strikes = isDue(rule);
        if (!strikes || rule.every !== undefined || !rule.forever)
          memory.record({ kind: "counted", count: countOf(rule) });
        return strikes;
      });
      if (fault?.times === 0) active = active.filter((rule) => rule !== fault);
      return fault;
    },
    remove,
    clear: () => void remove(),
    list: () => active.map((rule) => ({ ...rule })),
  };
}

/** The faults that are stored after these events. */
export function foldFaults(events: readonly FaultEvent[]): ActiveFault[] {
  const faults = new Map<string, ActiveFault>();
  for (const event of events) {
    if (event.kind === "fault") faults.set(event.fault.id, { ...event.fault });
    else if (event.kind === "removed") faults.delete(event.id);
    else Object.assign(faults.get(event.count.id) ?? {}, event.count);
  }
  return [...faults.values()].filter(({ times }) => times > 0);
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

function countOf({ id, times, skip, seen }: ActiveFault): FaultCount {
  return { id, times, skip, seen };
}

function assertUsable(rule: ActiveFault): void {
  if (!/^(\*|[A-Z]+) \//.test(rule.match)) throw new Error('"match" must look like "POST /v5/pins"');
  assertWhole("times", rule.times, 1);
  assertWhole("skip", rule.skip, 0);
  assertWhole("every", rule.every ?? 1, 1);
  const answers = [rule.cut, rule.torn, rule.hang, rule.malformed, rule.status !== undefined].filter(Boolean).length;
  if (answers > 1) throw new Error('Only one of "cut", "torn", "hang", "malformed" and "status" can be asked for');
  const others = [rule.delayMs, rule.body, rule.headers, rule.play];
  if (answers === 0 && others.every((field) => field === undefined)) {
    throw new Error(`The fault does nothing: no such scenario "${rule.scenario ?? ""}" and no answer given`);
  }
}

function assertWhole(field: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least) throw new Error(`"${field}" must be a whole number from ${least}`);
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
