import { countOf, formatCount } from "#lib/core/text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { Metric } from "#lib/features/analytics/constants.ts";
import { countDays, type DayRange } from "#lib/features/analytics/policy.ts";

export const METRIC_NAMES: Record<Metric, string> = {
  impressions: "Impressions",
  engagements: "Engagements",
  pin_clicks: "Pin clicks",
  outbound_clicks: "Outbound clicks",
  saves: "Saves",
};

const SHARE = new Intl.NumberFormat("en-US", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const SMALL = new Intl.NumberFormat("en-US", { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats a share from 0 to 1: '3.1%', or '0.42%' for small ones. */
export const formatShare = (share: number): string => (share > 0 && share < 0.0095 ? SMALL : SHARE).format(share);

/** A change from the period before. The text says it all; arrow and color only repeat it. */
export interface Change {
  way: "up" | "down" | "same";
  text: string;
}

export const changeOf = (now: number, before: number): Change => {
  if (now === before) return { way: "same", text: "no change" };
  if (before === 0) return { way: "up", text: "up from 0" };
  const isMore = now > before;
  const percent = Math.round((Math.abs(now - before) / before) * 100);
  const share = percent === 0 ? "under 1%" : `${formatCount(percent)}%`;
  return isMore ? { way: "up", text: `${share} more` } : { way: "down", text: `${share} fewer` };
};

const SHORT = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
const LONG = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric", timeZone: "UTC" });

/** A day in UTC: 'Nov 20'. */
export const shortDay = (day: string): string => SHORT.format(new Date(day));

/** A day in UTC with its year: 'Nov 20, 2026'. */
export const longDay = (day: string): string => LONG.format(new Date(day));

/** 'Nov 14 to Nov 20, 2026'. */
export const daysText = ({ firstDay, lastDay }: DayRange): string => {
  if (firstDay === lastDay) return longDay(firstDay);
  const isOneYear = firstDay.slice(0, 4) === lastDay.slice(0, 4);
  return `${isOneYear ? shortDay(firstDay) : longDay(firstDay)} to ${longDay(lastDay)}`;
};

/** Why the longest range shows fewer days than its name says; else empty. */
export const fewerText = (range: DayRange, chosen: number): string =>
  countDays(range) < chosen
    ? `Showing ${countDays(range)} days. Pinterest keeps ${chosen}, and the last two aren't final yet.`
    : "";

/** 'the 7 days before'. */
const beforeText = (range: DayRange): string => {
  const days = countDays(range);
  return days === 1 ? "the day before" : `the ${days} days before`;
};

/** How many of a range's days are final, and what their totals are compared with. */
export const finalDaysText = (final: number, range: DayRange, isCompared: boolean): string => {
  const days = countDays(range);
  if (final === 0) {
    const none = days === 1 ? "This day isn't final yet." : "None of these days are final yet.";
    return `${none} Pinterest takes about two days to finish counting.`;
  }
  if (final === days) {
    const all = days === 1 ? "This day is final." : `All ${days} days are final.`;
    return isCompared ? `${all} Compared with ${beforeText(range)}.` : all;
  }
  const some = `Totals cover the ${final === 1 ? "1 day that's final" : `${final} days that are final`}.`;
  return isCompared ? `${some} Compared with ${countOf(final, "day")} in the previous ${days}-day period.` : some;
};

/** The local time at which a Pinterest day ends: '7 PM', '5:45 AM'. */
export const dayEndText = (day: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone })
    .format(new Date(Date.parse(day) + DAY_MS))
    .replace(/\u202f/g, " ")
    .replace(":00", "");

/** '5 minutes ago', '3 hours ago'. */
export const agoText = (iso: string, now: Date): string => {
  const age = now.getTime() - Date.parse(iso);
  if (age < 2 * MINUTE_MS) return "just now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} minutes ago`;
  return `${countOf(Math.floor(age / HOUR_MS), "hour")} ago`;
};
