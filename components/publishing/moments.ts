import { localTimeOf } from "#lib/core/zoned-time.ts";

/** A date such as `2026-11-27`, as in `Intl.DateTimeFormat`. */
export const formatDay = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" }).format(new Date(`${date}T00:00:00.000Z`));

/** 'Friday, November 27' */
export const dayLabel = (date: string): string => formatDay(date, { weekday: "long", month: "long", day: "numeric" });

/** 'Fri, Nov 27' */
export const shortDay = (date: string): string => formatDay(date, { weekday: "short", month: "short", day: "numeric" });

const timeFormats = new Map<string, Intl.DateTimeFormat>();

/** '3:04 PM' */
export const timeLabel = (at: string | Date, zone: string): string => {
  const format =
    timeFormats.get(zone) ?? new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone: zone });
  timeFormats.set(zone, format);
  return format.format(new Date(at)).replace(/\u202f/g, " ");
};

/** 'Fri, Nov 27, 9:00 AM' */
export const momentLabel = (at: string | Date, zone: string): string =>
  `${shortDay(localTimeOf(new Date(at), zone).date)}, ${timeLabel(at, zone)}`;
