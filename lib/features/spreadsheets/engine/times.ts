import { instantOf, type LocalTime, localTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";

/** Whether `3/4/2026` is March 4 or April 3. */
export type DateOrder = "month_first" | "day_first";

/** An instant, or a local time of the account's zone. `hasTime`: false for a date alone. */
type SheetTime = { kind: "instant"; at: Date } | { kind: "local"; localTime: LocalTime; hasTime: boolean };

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const two = (value: number): string => String(value).padStart(2, "0");

const dateOf = (year: string, month: number, day: number): string =>
  `${year.length === 2 ? `20${year}` : year.padStart(4, "0")}-${two(month)}-${two(day)}`;

interface Split {
  date: string;
  rest: string;
}

const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;

const readNumeric = (text: string, order: DateOrder): Split | null => {
  const [whole = "", one, separator, two_, year = ""] = NUMERIC.exec(text) ?? [];
  if (whole === "") return null;
  const [first, second] = [Number(one), Number(two_)];
  // Dots are used where the day comes first; a number above 12 is no month.
  const isDayFirst = separator === "." || first > 12 || (order === "day_first" && second <= 12);
  const date = isDayFirst ? dateOf(year, second, first) : dateOf(year, first, second);
  return { date, rest: text.slice(whole.length) };
};

const readNamed = (text: string): Split | null => {
  const monthFirst = /^(?:[a-z]{3,9},?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/i.exec(text);
  const dayFirst = /^(?:[a-z]{3,9},?\s+)?(\d{1,2})(?:st|nd|rd|th)?\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})/i.exec(text);
  const found = monthFirst ?? dayFirst;
  if (!found) return null;
  const [whole, one = "", other = "", year = ""] = found;
  const [name, day] = monthFirst ? [one, other] : [other, one];
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? null : { date: dateOf(year, month, Number(day)), rest: text.slice(whole.length) };
};

const readDate = (text: string, order: DateOrder): Split | null => {
  const [iso = "", year = "", month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text) ?? [];
  if (iso !== "") return { date: dateOf(year, Number(month), Number(day)), rest: text.slice(iso.length) };
  return readNumeric(text, order) ?? readNamed(text);
};

const CLOCK = /^(\d{1,2})(?:[:.h](\d{2}))?(?::\d{2}(?:[.,]\d+)?)?\s*(am|pm|a\.m\.|p\.m\.)?$/i;

/** `HH:MM`; null when it isn't a time of day. */
const readClock = (text: string): string | null => {
  const [whole, hour = "", minute, half] = CLOCK.exec(text) ?? [];
  if (whole === undefined || (minute === undefined && half === undefined)) return null;
  const hours = Number(hour);
  if (half === undefined) return hours > 23 || Number(minute) > 59 ? null : `${two(hours)}:${minute}`;
  if (hours < 1 || hours > 12 || Number(minute ?? 0) > 59) return null;
  return `${two((hours % 12) + (/^p/i.test(half) ? 12 : 0))}:${minute ?? "00"}`;
};

const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?\s*(Z|[+-]\d{2}:?\d{2})$/i;

/** Used for dates without a time: noon, whatever time zone the sheet's author was in. */
export const NOON = "12:00";

const isDate = (date: string): boolean => instantOf({ date, time: NOON }, "UTC") !== null;

/** Reads the date and time of a row, and the time of day from another column if there is one; null when unreadable. */
export const readTime = (text: string, clockText: string, order: DateOrder): SheetTime | null => {
  if (INSTANT.test(text)) {
    const at = new Date(text.replace(/\s+(?=[Z+-])/i, "").replace(" ", "T"));
    return Number.isNaN(at.getTime()) ? null : { kind: "instant", at };
  }
  const split = readDate(text, order);
  if (!split || !isDate(split.date)) return null;
  const rest = split.rest.replace(/^[\s,T]+(at\s+)?/i, "").trim();
  const clock = rest === "" || (clockText !== "" && /^0{1,2}:00/.test(rest)) ? clockText : rest;
  if (clock === "") return { kind: "local", localTime: { date: split.date, time: NOON }, hasTime: false };
  const time = readClock(clock);
  return time === null ? null : { kind: "local", localTime: { date: split.date, time }, hasTime: true };
};

/** The order in a column of dates: the day comes first if any of the first numbers can't be a month. Dates with dots don't count. */
export const dateOrderOf = (texts: Iterable<string>): DateOrder => {
  for (const text of texts) {
    const [, first, separator] = NUMERIC.exec(text.trim()) ?? [];
    if (Number(first) > 12 && separator !== ".") return "day_first";
  }
  return "month_first";
};

/** Local time with its offset, to the millisecond: `2026-12-01T09:30:00+01:00`. {@link readTime} reads it exactly. */
export const toZonedText = (at: Date, timeZone: string): string => {
  const { date, time } = localTimeOf(at, timeZone);
  const minutes = Math.round(zoneOffsetMs(at, timeZone) / 60_000);
  const sign = minutes < 0 ? "-" : "+";
  const offset = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const seconds = at
    .toISOString()
    .slice(16, 23)
    .replace(/\.000$/, "");
  return `${date}T${time}${seconds}${offset}`;
};
