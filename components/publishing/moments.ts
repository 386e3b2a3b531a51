import { clockChangeAt, type LocalTime, localTimeOf } from "#lib/core/zoned-time.ts";

/** For dates such as `2026-11-27`. The format is built once, which takes longer than a hundred uses. */
export const dateFormat = (options: Intl.DateTimeFormatOptions): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
  return (date) => format.format(new Date(`${date}T00:00:00.000Z`));
};

/** 'Friday, November 27' */
export const dayLabel = dateFormat({ weekday: "long", month: "long", day: "numeric" });

/** 'Fri, Nov 27' */
export const shortDay = dateFormat({ weekday: "short", month: "short", day: "numeric" });

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

/** '2:30 AM' on a day whose clocks skip it. */
const missingLabel = ({ date, time }: LocalTime): string => timeLabel(`${date}T${time}:00.000Z`, "UTC");

/** What is said beside a time in an hour that clocks repeat, or that also stands for one that they skip. */
export const clockChangeNote = (at: string | Date, zone: string): string | null => {
  const change = clockChangeAt(new Date(at), zone);
  if (!change) return null;
  const time = timeLabel(at, zone);
  return change.kind === "repeated"
    ? `Clocks fall back that night: this is the ${change.isFirst ? "first" : "second"} ${time}.`
    : `Clocks spring forward that night: ${missingLabel(change.missing)} doesn't exist and becomes ${time}.`;
};
