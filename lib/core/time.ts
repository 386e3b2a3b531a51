export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A date some milliseconds later. */
export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** A date some minutes later. */
export const addMinutes = (at: Date, minutes: number): Date => addMs(at, minutes * MINUTE_MS);

/** Milliseconds from now to a moment; none when it has passed. */
export const msUntil = (at: Date, now: Date): number => Math.max(0, at.getTime() - now.getTime());

/** The calendar month in UTC that a moment lies in, as `2026-11` (DESIGN §6: the free plan's period). */
export const monthKey = (at: Date): string => at.toISOString().slice(0, 7);

/** The first moment of the next calendar month in UTC. */
export const nextMonthStart = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

/** Wire form of a moment: ISO 8601 with offset (DESIGN §7). */
export const toIso = (at: Date): string => at.toISOString();

/** Wire form of a moment that may be absent. */
export const toIsoOrNull = (at: Date | null): string | null => (at ? at.toISOString() : null);

/** Whether a text is a time zone this machine knows. */
export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** English short month with time in a zone, for example 'Nov 20, 2026, 3:04 PM' (R-POST-08). */
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

/** English short month and day in a zone, for example 'Nov 20, 2026'. */
export const formatDate = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric", timeZone }).format(new Date(iso));

/** A moment for everybody, wherever they are: '20 November 2026, 15:04 UTC'. */
export const formatMoment = (iso: string): string => {
  const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hour12: false, timeZone: "UTC" });
  const at = new Date(iso);
  return `${date.format(at)}, ${time.format(at)} UTC`;
};

/** The month of a moment in UTC, in English: 'October'. */
export const formatMonth = (iso: string): string =>
  new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" }).format(new Date(iso));

/** The day of a moment in UTC, in English: '20 October'. */
export const formatDay = (iso: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(iso));
