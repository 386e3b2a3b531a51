export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_SECONDS = 31_536_000;

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

export const addMinutes = (at: Date, minutes: number): Date => addMs(at, minutes * MINUTE_MS);

export const laterOf = (a: Date, b: Date): Date => (a > b ? a : b);

export const msUntil = (at: Date, now: Date): number => Math.max(0, at.getTime() - now.getTime());

/** The UTC calendar month of a time, such as `2026-11`. */
export const monthKey = (at: Date): string => at.toISOString().slice(0, 7);

export const nextMonthStart = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

export const toIso = (at: Date): string => at.toISOString();

export const toIsoOrNull = (at: Date | null): string | null => (at ? at.toISOString() : null);

/** Whether a text is a date of this century such as `2026-11-27`. */
export const isIsoDate = (text: string): boolean => {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};

export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** 'Nov 20, 2026, 3:04 PM' */
export const formatDateTime = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", {
    month: "short",
    day: "numeric",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone,
  })
    .format(new Date(iso))
    .replace(/\u202f/g, " ");

/** 'Nov 20, 2026' */
export const formatDate = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric", timeZone }).format(new Date(iso));

/** 'November 20, 2026, 3:04 PM UTC' */
export const formatUtcDateTime = (iso: string): string => {
  const date = new Intl.DateTimeFormat("en-US", { month: "long", day: "numeric", year: "numeric", timeZone: "UTC" });
  const time = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const at = new Date(iso);
  return `${date.format(at)}, ${time.format(at).replace(/\u202f/g, " ")} UTC`;
};

/** The UTC month of a time: 'October'. */
export const formatMonth = (iso: string): string =>
  new Intl.DateTimeFormat("en-US", { month: "long", timeZone: "UTC" }).format(new Date(iso));

/** The UTC day of a time: 'October 20'. */
export const formatDay = (iso: string): string =>
  new Intl.DateTimeFormat("en-US", { day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(iso));
