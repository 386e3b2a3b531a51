import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { OVERDUE_GAP_MAX_MS } from "#lib/features/publishing/constants.ts";
import { NUMBER_NAMES, type PaceNumbers, type PaceRule, PRESET_NAMES, PRESETS, type PresetName } from "./constants.ts";

export const presetOf = (numbers: PaceNumbers): PresetName | null =>
  PRESET_NAMES.find((name) => NUMBER_NAMES.every((key) => PRESETS[name][key] === numbers[key])) ?? null;

const minuteOfDay = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

/** Quiet hours in minutes since midnight; they may span midnight, and equal times mean none. */
interface QuietSpan {
  from: number;
  to: number;
}

export const quietSpan = ({ quietFrom, quietTo }: Pick<PaceNumbers, "quietFrom" | "quietTo">): QuietSpan => ({
  from: minuteOfDay(quietFrom),
  to: minuteOfDay(quietTo),
});

export const isQuiet = ({ from, to }: QuietSpan, minute: number): boolean =>
  from < to ? minute >= from && minute < to : from > to && (minute >= from || minute < to);

export const awakeMinutes = ({ from, to }: QuietSpan): number => 1_440 - ((to - from + 1_440) % 1_440);

/** The most pins of one day, and the rule that says so; infinite when both rules are left out. */
export interface DailyLimit {
  max: number;
  rule: "perDay" | "warmUp";
}

/** `days`: since the account was connected. `published`: its pins that are published before that day. */
export const dailyLimit = (
  numbers: PaceNumbers,
  left: ReadonlySet<PaceRule>,
  { days, published }: { days: number; published: number },
): DailyLimit => {
  const full = left.has("perDay") ? Number.POSITIVE_INFINITY : numbers.perDay;
  const { warmUpStart, warmUpDays, warmUpPins, perDay } = numbers;
  const share = Math.min(
    warmUpDays === 0 ? 1 : Math.max(0, days) / warmUpDays,
    warmUpPins === 0 ? 1 : published / warmUpPins,
  );
  if (left.has("warmUp") || share >= 1) return { max: full, rule: "perDay" };
  const max = Math.min(perDay, warmUpStart + Math.floor((perDay - warmUpStart) * share));
  return max < full ? { max, rule: "warmUp" } : { max: full, rule: "perDay" };
};

/** Campaign parameters and fragments don't make another page. Text that is no URL is compared as it is. */
export const linkKey = (link: string): string => {
  if (!URL.canParse(link)) return link.trim();
  const url = new URL(link);
  for (const name of [...url.searchParams.keys()]) if (name.startsWith("utm_")) url.searchParams.delete(name);
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.host.replace(/^www\./, "")}${path}${url.search}`;
};

/** Milliseconds as '6 days 3 h', '2 h 5 min' or '12 min'; at least a minute. */
export const spanText = (ms: number): string => {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  const dayText = days > 0 ? `${days} ${days === 1 ? "day" : "days"}` : "";
  if (days > 0) return hours > 0 ? `${dayText} ${hours} h` : dayText;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
};

/**
 * When scheduled pins of one account, in order of time, are expected to go out. Overdue ones wait their turn: at the time
 * that publishing gave them, else from now on at their planned distances.
 */
export const expectedTimes = (scheduled: readonly { at: Date; wakeAt: Date | null }[], now: Date): Date[] => {
  const firstAt = scheduled[0]?.at.getTime() ?? 0;
  return scheduled.map(({ at, wakeAt }, ahead) => {
    if (at > now) return at;
    if (wakeAt && wakeAt > now) return wakeAt;
    return addMs(now, Math.min(at.getTime() - firstAt, ahead * OVERDUE_GAP_MAX_MS));
  });
};
