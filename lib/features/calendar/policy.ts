import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf, type ResolvedTime } from "#lib/core/zoned-time.ts";
import { DEFAULT_TIMES, MINUTES_PER_DAY, SLOT_SEARCH_DAYS, SLOT_TAKEN_MINUTES, TEXTS, WEEKDAYS } from "./constants.ts";
import type { PostingSlot } from "./schema.ts";

const dayMs = (date: string): number => Date.parse(`${date}T00:00:00.000Z`);

/** `2026-11-27` plus one is `2026-11-28`. */
export const addDays = (date: string, days: number): string =>
  new Date(dayMs(date) + days * DAY_MS).toISOString().slice(0, 10);

export const daysBetween = (from: string, to: string): number => Math.round((dayMs(to) - dayMs(from)) / DAY_MS);

/** 0 is Sunday. */
export const weekdayOf = (date: string): number => new Date(dayMs(date)).getUTCDay();

/** The six weeks, from a Sunday on, that show a month. */
export const monthGrid = (date: string): string[] => {
  const first = `${date.slice(0, 7)}-01`;
  const start = addDays(first, -weekdayOf(first));
  return Array.from({ length: 42 }, (_, at) => addDays(start, at));
};

export const weekOf = (date: string): string[] => {
  const start = addDays(date, -weekdayOf(date));
  return Array.from({ length: 7 }, (_, at) => addDays(start, at));
};

/** 90 is `01:30`. */
export const timeOfMinute = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

export const minuteOfTime = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** A valid date at a minute of the day. Skipped times move forward by the gap; of repeated ones, it is the first. */
export const instantOn = (date: string, minute: number, zone: string): ResolvedTime => {
  const resolved = instantOf({ date, time: timeOfMinute(minute) }, zone);
  if (!resolved) throw new Error(`Not a date: ${date}`);
  return resolved;
};

/** The same local time on another day. Seconds are kept. */
export const moveToDay = (at: Date, date: string, zone: string): ResolvedTime => {
  const moved = instantOn(date, minuteOfTime(localTimeOf(at, zone).time), zone);
  return { ...moved, at: new Date(moved.at.getTime() + (at.getTime() % MINUTE_MS)) };
};

export const groupByDay = <P extends { at: string }>(pins: readonly P[], zone: string): Map<string, P[]> =>
  Map.groupBy(pins, ({ at }) => localTimeOf(new Date(at), zone).date);

/** Whether a pin is this close to a slot. `taken`: times in order. */
export const isTaken = (at: number, taken: readonly number[]): boolean => {
  let [low, high] = [0, taken.length];
  const reach = SLOT_TAKEN_MINUTES * MINUTE_MS;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taken[middle] ?? 0) <= at - reach) low = middle + 1;
    else high = middle;
  }
  return (taken[low] ?? Number.POSITIVE_INFINITY) < at + reach;
};

/** Why free slots can't be searched on these days, given as dates; null when they can. Slots before today are over. */
export const daysProblem = (firstDay: string, lastDay: string | null, today: string): string | null => {
  if (lastDay !== null && lastDay < today) return TEXTS.daysPassed;
  if (lastDay !== null && lastDay < firstDay) return TEXTS.endBeforeStart;
  return (lastDay ?? firstDay) > addDays(today, SLOT_SEARCH_DAYS) ? TEXTS.daysTooFar : null;
};

export interface SlotSearch {
  slots: readonly PostingSlot[];
  zone: string;
  /** Slots before it are over. */
  now: Date;
  firstDay: string;
  lastDay: string;
  count: number;
  /** Times of the account's scheduled pins. */
  taken: readonly Date[];
  /** Spreads them evenly over this many days, or more when those lack free slots; null takes the next ones. */
  spreadDays: number | null;
}

/** The next free slots in order; fewer than `count` when the days have no more. */
export const nextFreeSlots = (search: SlotSearch): ResolvedTime[] => {
  const { slots, zone, now, firstDay, lastDay, count, taken, spreadDays } = search;
  const sorted = taken.map((at) => at.getTime()).toSorted((a, b) => a - b);
  const byWeekday = Map.groupBy(slots, ({ weekday }) => weekday);
  const found: ResolvedTime[] = [];
  const days = daysBetween(firstDay, lastDay) + 1;
  for (let day = 0; day < days && found.length < count; day += 1) {
    const date = addDays(firstDay, day);
    const free = (byWeekday.get(weekdayOf(date)) ?? [])
      .map(({ minute }) => instantOn(date, minute, zone))
      .filter(({ at }) => at > now && !isTaken(at.getTime(), sorted))
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      // Clocks that skip an hour can put two slots on one instant.
      .filter(({ at }, index, all) => all[index - 1]?.at.getTime() !== at.getTime());
    // Slot i belongs to day ⌊i × days / count⌋; those that found no slot wait for the next day that has one.
    const due = spreadDays === null ? count : Math.min(count, Math.ceil(((day + 1) * count) / spreadDays));
    found.push(...free.slice(0, due - found.length));
  }
  // The last days may lack free slots while earlier ones have some left.
  const isShort = found.length < count && spreadDays !== null;
  return isShort ? nextFreeSlots({ ...search, spreadDays: null }) : found;
};

/** What the account's results say about an hour or weekday. */
export interface TimeResult {
  value: number;
  isBetter: boolean;
}

/** Slots on all days at default times; hours and weekdays that did better by more than luck come first. */
export const suggestSlots = (hours: readonly TimeResult[], weekdays: readonly TimeResult[]): PostingSlot[] => {
  const better = hours.filter(({ isBetter }) => isBetter).map(({ value }) => value * 60);
  const gap = 60;
  const defaults = DEFAULT_TIMES.filter((time) => better.every((hour) => Math.abs(hour + 30 - time) > gap));
  const times = [...better, ...defaults].slice(0, DEFAULT_TIMES.length);
  const best = new Set(weekdays.filter(({ isBetter }) => isBetter).map(({ value }) => value));
  return WEEKDAYS.flatMap((weekday) => {
    // One more on a better day, an hour after the first.
    const extra = best.has(weekday) ? [((times[0] ?? 0) + gap) % MINUTES_PER_DAY] : [];
    return [...new Set([...times, ...extra])].toSorted((a, b) => a - b).map((minute) => ({ weekday, minute }));
  });
};
