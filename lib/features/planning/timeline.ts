import "server-only";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { createLikenessIndex, type Fingerprint, fingerprintOf } from "#lib/features/publishing/likeness.ts";
import type { PaceNumbers, PaceRule } from "./constants.ts";
import { localDays } from "./local-days.ts";
import { awakeMinutes, type DailyLimit, dailyLimit, isQuiet, linkKey, quietSpan } from "./policy.ts";

export interface PlanPin {
  id: string;
  title: string;
  link: string | null;
  likeness: string | null;
}

export interface HistoryPin extends Omit<PlanPin, "id"> {
  status: "scheduled" | "published";
  at: Date;
}

export interface History {
  connectedAt: Date;
  /** All its published pins, also those that `pins` doesn't list. */
  publishedCount: number;
  /** Scheduled ones, and those published within the longest distance between pins. */
  pins: readonly HistoryPin[];
}

export interface PlanRules {
  numbers: PaceNumbers;
  /** Rules that the user left out of this plan. */
  left: ReadonlySet<PaceRule>;
  timeZone: string;
}

/** A rule that a time would break, and the earliest time that it allows. `other`: the pin that is too close. */
export interface Conflict {
  rule: PaceRule;
  until: number;
  /** The rule's number: pins a day, minutes, or days; 0 for quiet hours. */
  limit: number;
  other: { title: string; at: number } | null;
}

export interface Entry {
  at: number;
  title: string;
}

export interface PreparedPin {
  pin: PlanPin;
  print: Fingerprint;
  linkKey: string | null;
}

export const prepare = (pin: PlanPin): PreparedPin => ({
  pin,
  print: fingerprintOf(pin),
  linkKey: pin.link === null ? null : linkKey(pin.link),
});

/** The first index whose time is `at` or later. */
const lowerBound = (entries: readonly Entry[], at: number): number => {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
};

const insert = (entries: Entry[], entry: Entry): void => {
  entries.splice(lowerBound(entries, entry.at + 1), 0, entry);
};

/** The latest entry that is closer to `at` than `spanMs`. */
const latestWithin = (entries: readonly Entry[], at: number, spanMs: number): Entry | null => {
  const found = entries[lowerBound(entries, at + spanMs) - 1];
  return found && found.at > at - spanMs ? found : null;
};

export const ceilToMinute = (at: number): number => Math.ceil(at / MINUTE_MS) * MINUTE_MS;

/** An account's pins in order of time. Checks whether another one fits at a time, and adds it. */
export interface Timeline {
  /** The rules that the pin would break there; none when it fits. `similar`: from {@link Timeline.similarTo} */
  conflictsAt(pin: PreparedPin, at: number, similar: readonly Entry[]): Iterable<Conflict>;
  similarTo(pin: PreparedPin): readonly Entry[];
  add(pin: PreparedPin, at: number): void;
  /** How much later than the minimum gap the next pin follows, so that a day's pins are spread over it, in ms. */
  spreadAt(at: number): { rule: PaceRule; limit: number; ms: number };
  /** Between two pins, in ms. */
  gapMs: number;
}

interface Days {
  limitOf(day: number): DailyLimit;
  count(day: number): number;
  add(at: number): void;
}

type Calendar = ReturnType<typeof localDays>;

const createDays = (calendar: Calendar, { numbers, left }: PlanRules, history: History): Days => {
  const counts = new Map<number, number>();
  /** Times that are not published yet. */
  const coming: Entry[] = [];
  const connectedDay = calendar.dayOf(history.connectedAt.getTime());
  const add = (at: number, isPublished = false) => {
    const day = calendar.dayOf(at);
    counts.set(day, (counts.get(day) ?? 0) + 1);
    if (!isPublished) insert(coming, { at, title: "" });
  };
  for (const { at, status } of history.pins) add(at.getTime(), status === "published");
  return {
    add,
    count: (day) => counts.get(day) ?? 0,
    limitOf: (day) => {
      const published = history.publishedCount + lowerBound(coming, calendar.instantOf(day, 0));
      return dailyLimit(numbers, left, { days: day - connectedDay, published });
    },
  };
};

/** What the pins show and where they lead. */
interface Content {
  sameLink(pin: PreparedPin): readonly Entry[];
  similarTo(pin: PreparedPin): readonly Entry[];
  add(pin: PreparedPin, entry: Entry): void;
}

const createContent = (): Content => {
  const byLink = new Map<string, Entry[]>();
  const looks = createLikenessIndex<Entry>();
  return {
    sameLink: ({ linkKey: key }) => (key !== null && byLink.get(key)) || [],
    similarTo: ({ print }) => {
      const found = new Set<Entry>(looks.sameTitle(print));
      looks.forEachNearImage(print, (entry) => found.add(entry));
      return [...found].sort((one, other) => one.at - other.at);
    },
    add: ({ print, linkKey: key }, entry) => {
      looks.add(entry, print);
      if (key === null) return;
      const own = byLink.get(key) ?? [];
      byLink.set(key, own);
      insert(own, entry);
    },
  };
};

/** The least distance between two pins, in minutes, whatever rules are left out. */
const GAP_MIN_MINUTES = 1;

interface Spans {
  gapMs: number;
  linkMs: number;
  similarMs: number;
}

const spansOf = ({ numbers, left }: PlanRules): Spans => ({
  gapMs: (left.has("gap") ? GAP_MIN_MINUTES : numbers.gapMinutes) * MINUTE_MS,
  linkMs: left.has("link") ? 0 : numbers.linkDays * DAY_MS,
  similarMs: left.has("similar") ? 0 : numbers.similarDays * DAY_MS,
});

const distanceConflict = (rule: PaceRule, other: Entry | null, spanMs: number, limit: number): Conflict[] =>
  other && spanMs > 0 ? [{ rule, until: other.at + spanMs, limit, other }] : [];

/** Covers instants from a year before `range` to a year after it. */
export const createTimeline = (history: History, rules: PlanRules, range: { from: Date; to: Date }): Timeline => {
  const { numbers, left } = rules;
  const calendar = localDays(rules.timeZone, range.from, range.to);
  const quiet = quietSpan(numbers);
  const days = createDays(calendar, rules, history);
  const content = createContent();
  const all: Entry[] = [];
  const { gapMs, linkMs, similarMs } = spansOf(rules);
  for (const pin of history.pins) {
    const entry = { at: pin.at.getTime(), title: pin.title };
    insert(all, entry);
    content.add(prepare({ ...pin, id: "" }), entry);
  }

  const quietConflict = (at: number): Conflict[] => {
    if (left.has("quiet") || !isQuiet(quiet, calendar.minuteOf(at))) return [];
    return [{ rule: "quiet", until: calendar.next(at, quiet.to), limit: 0, other: null }];
  };
  const dayConflict = (at: number): Conflict[] => {
    const day = calendar.dayOf(at);
    const { max, rule } = days.limitOf(day);
    return days.count(day) < max ? [] : [{ rule, until: calendar.instantOf(day + 1, 0), limit: max, other: null }];
  };

  return {
    *conflictsAt(pin, at, similar) {
      yield* quietConflict(at);
      yield* distanceConflict("gap", latestWithin(all, at, gapMs), gapMs, gapMs / MINUTE_MS);
      yield* dayConflict(at);
      yield* distanceConflict("link", latestWithin(content.sameLink(pin), at, linkMs), linkMs, numbers.linkDays);
      yield* distanceConflict("similar", latestWithin(similar, at, similarMs), similarMs, numbers.similarDays);
    },
    similarTo: (pin) => (similarMs === 0 ? [] : content.similarTo(pin)),
    add: (pin, at) => {
      const entry = { at, title: pin.pin.title };
      insert(all, entry);
      days.add(at);
      content.add(pin, entry);
    },
    spreadAt: (at) => {
      const { max, rule } = days.limitOf(calendar.dayOf(at));
      const minutes = left.has("quiet") ? 1_440 : awakeMinutes(quiet);
      return { rule, limit: max, ms: Math.max(0, Math.floor(minutes / max) * MINUTE_MS - gapMs) };
    },
    gapMs,
  };
};
