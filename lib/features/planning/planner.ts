import "server-only";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { type PaceRule, PLAN_AHEAD_MS } from "./constants.ts";
import {
  type Conflict,
  ceilToMinute,
  createTimeline,
  type Entry,
  type History,
  type PlanPin,
  type PlanRules,
  type PreparedPin,
  prepare,
  type Timeline,
} from "./timeline.ts";

export type { History, HistoryPin, PlanPin, PlanRules } from "./timeline.ts";

export interface Move {
  rule: PaceRule;
  ms: number;
  limit: number;
  other: string | null;
}

/** A pin and its time, with what moved it from the time at which it would have followed the pin before. */
export interface Placement {
  id: string;
  at: Date;
  moves: Move[];
}

export interface Breach {
  rule: PaceRule;
  limit: number;
  other: { title: string; at: Date } | null;
}

export interface PlanOptions extends PlanRules {
  /** The earliest time of the first pin. */
  start: Date;
  seed: number;
  /** Times that the user chose; the other pins are planned around them. */
  chosen?: ReadonlyMap<string, Date>;
}

export interface Plan {
  /** In the order of the pins. */
  placements: Placement[];
  /** Pins for which the year ahead has no time, with the last rule that moved them beyond it. */
  unplaced: { id: string; rule: PaceRule }[];
}

const FNV_PRIME = 0x01000193;
const FNV_START = 0x811c9dc5;

/** A number from 0 to `max` that depends on the text alone (FNV-1a). */
const hashUpTo = (text: string, max: number): number => {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0) % (max + 1);
};

const addMove = (moves: Move[], move: Move): void => {
  const known = moves.find(({ rule }) => rule === move.rule);
  if (known) Object.assign(known, { ...move, ms: known.ms + move.ms });
  else moves.push(move);
};

/** Where the next pin would follow, and how far the daily limit moves it, so that a day's pins are spread over it. */
interface Next {
  at: number;
  spread: Move | null;
}

const nextAfter = (timeline: Timeline, at: number): Next => {
  const { ms, rule, limit } = timeline.spreadAt(at);
  return { at: at + timeline.gapMs + ms, spread: ms > 0 ? { rule, limit, ms, other: null } : null };
};

type Search = { kind: "found"; at: number; moves: Move[] } | { kind: "none"; rule: PaceRule };

const firstConflict = (conflicts: Iterable<Conflict>): Conflict | null => {
  for (const conflict of conflicts) return conflict;
  return null;
};

interface Subject {
  pin: PreparedPin;
  similar: readonly Entry[];
}

/** The first time from `next` on that breaks no rule. Each conflict moves it forward. */
const findTime = (timeline: Timeline, { pin, similar }: Subject, next: Next, last: number): Search => {
  const moves: Move[] = next.spread ? [{ ...next.spread }] : [];
  for (let at = next.at; ; ) {
    const conflict = firstConflict(timeline.conflictsAt(pin, at, similar));
    if (!conflict) return { kind: "found", at, moves };
    const until = ceilToMinute(conflict.until);
    const { rule, limit, other } = conflict;
    addMove(moves, { rule, limit, ms: until - at, other: other?.title ?? null });
    at = until;
    if (at > last) return { kind: "none", rule: conflict.rule };
  }
};

const withJitter = (timeline: Timeline, { pin, similar }: Subject, at: number, options: PlanOptions): number => {
  const later = at + hashUpTo(`${options.seed}:${pin.pin.id}`, options.numbers.jitterMinutes) * MINUTE_MS;
  return later > at && !firstConflict(timeline.conflictsAt(pin, later, similar)) ? later : at;
};

const rangeOf = (history: History, now: Date): { from: Date; to: Date } => {
  const times = history.pins.map(({ at }) => at.getTime());
  const first = times.reduce(
    (one, other) => Math.min(one, other),
    Math.min(now.getTime(), history.connectedAt.getTime()),
  );
  return { from: new Date(first), to: addMs(now, PLAN_AHEAD_MS) };
};

/** A pin that waits because of its own link or a similar pin doesn't hold up the others. */
const isOwnWait = ({ rule }: Move): boolean => rule === "link" || rule === "similar";

/**
 * Plans one account's pins, in the given order, from `start` on: each at the first time that breaks no rule, so a pin
 * that must wait because of its link or a similar pin lets the others pass. The same input gives the same plan.
 */
export const plan = (pins: readonly PlanPin[], history: History, options: PlanOptions, now: Date): Plan => {
  const timeline = createTimeline(history, options, rangeOf(history, now));
  const last = addMs(now, PLAN_AHEAD_MS).getTime();
  const prepared = pins.map(prepare);
  const { chosen = new Map<string, Date>() } = options;
  for (const pin of prepared) {
    const at = chosen.get(pin.pin.id);
    if (at) timeline.add(pin, at.getTime());
  }
  const result: Plan = { placements: [], unplaced: [] };
  let next: Next = { at: ceilToMinute(Math.max(options.start.getTime(), now.getTime())), spread: null };
  for (const [index, pin] of prepared.entries()) {
    const { id } = pin.pin;
    const own = chosen.get(id);
    if (own) {
      result.placements.push({ id, at: own, moves: [] });
      continue;
    }
    const subject = { pin, similar: timeline.similarTo(pin) };
    const found = findTime(timeline, subject, next, last);
    if (found.kind === "none") {
      result.unplaced.push({ id, rule: found.rule });
      continue;
    }
    const at = index === 0 ? found.at : withJitter(timeline, subject, found.at, options);
    timeline.add(pin, at);
    result.placements.push({ id, at: new Date(at), moves: found.moves });
    if (!found.moves.some(isOwnWait)) next = nextAfter(timeline, at);
  }
  return result;
};

const toBreach = ({ rule, limit, other }: Conflict): Breach => ({
  rule,
  limit,
  other: other && { title: other.title, at: new Date(other.at) },
});

/** {@link findBreaches} pin by pin, for callers that let others have their turn in between. */
export function* checkInOrder(
  slots: readonly { pin: PlanPin; at: Date }[],
  history: History,
  rules: PlanRules,
  now: Date,
): Generator<{ id: string; found: Breach[] }> {
  const timeline = createTimeline(history, rules, rangeOf(history, now));
  for (const { pin, at } of slots.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    const prepared = prepare(pin);
    const conflicts = [...timeline.conflictsAt(prepared, at.getTime(), timeline.similarTo(prepared))];
    yield { id: pin.id, found: conflicts.map(toBreach) };
    timeline.add(prepared, at.getTime());
  }
}

/**
 * Which rules the given times break, by pin: each pin is compared with the account's other pins and with the planned
 * pins before it. Pins without a breach are left out.
 */
export const findBreaches = (
  slots: readonly { pin: PlanPin; at: Date }[],
  history: History,
  rules: PlanRules,
  now: Date,
): Map<string, Breach[]> => {
  const breaches = new Map<string, Breach[]>();
  for (const { id, found } of checkInOrder(slots, history, rules, now)) if (found.length > 0) breaches.set(id, found);
  return breaches;
};
