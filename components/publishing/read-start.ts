import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { instantOf, type LocalTime, localTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";
import { START_MAX_AHEAD_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { clockChangeNote } from "./moments.ts";

/** When the first pin goes out: now, or at a date and time in the user's time zone. */
export interface StartChoice extends LocalTime {
  kind: "now" | "later";
  /** The exact time when it was chosen by a button: a repeated wall time alone would mean its first occurrence. */
  exact: Date | null;
}

/** The chosen start. `start`: null for now; `problem`: why nothing can be scheduled like this. */
export interface StartRead {
  start: Date | null;
  problem: string | null;
  /** A hint about a valid start. */
  note: string | null;
}

export const START_NOW: StartChoice = { kind: "now", date: "", time: "", exact: null };

const invalid = (problem: string): StartRead => ({ start: null, problem, note: null });

const showsLocalTime = (at: Date, { date, time }: LocalTime, timeZone: string): boolean => {
  const localTime = localTimeOf(at, timeZone);
  return localTime.date === date && localTime.time === time;
};

export const startAt = (exact: Date, timeZone: string): StartChoice => ({
  kind: "later",
  ...localTimeOf(exact, timeZone),
  exact,
});

/** The default for a later start: the next full hour that is at least half an hour away. */
export const nextHour = (now: Date, timeZone: string): StartChoice => {
  const ahead = addMs(now, HOUR_MS / 2);
  const offset = zoneOffsetMs(ahead, timeZone);
  const localTime = Math.ceil((ahead.getTime() + offset) / HOUR_MS) * HOUR_MS;
  return startAt(new Date(localTime - offset), timeZone);
};

/** What happens with a local time that clocks skip. */
export type SkippedTime = "refused" | "moved_forward";

/** Reads a choice in a time zone. The current minute is still accepted. */
export const readStart = (
  choice: StartChoice,
  timeZone: string,
  now: Date,
  skipped: SkippedTime = "refused",
): StartRead => {
  if (choice.kind === "now") return { start: null, problem: null, note: null };
  const resolved = instantOf(choice, timeZone);
  if (!resolved) return invalid(TEXTS.startMissing);
  const { clock } = resolved;
  if (clock === "skipped" && skipped === "refused") return invalid(TEXTS.startSkipped);
  const isExact = choice.exact !== null && showsLocalTime(choice.exact, choice, timeZone);
  const start = isExact && choice.exact ? choice.exact : resolved.at;
  if (start < addMs(now, -MINUTE_MS)) return invalid(TEXTS.timePassed);
  if (start > addMs(now, START_MAX_AHEAD_MS)) return invalid(TEXTS.startTooFar);
  if (clock === "skipped") return { start, problem: null, note: clockChangeNote(start, timeZone) };
  return { start, problem: null, note: clock === "repeated" && !isExact ? TEXTS.startRepeated : null };
};

/** The first and last day that can be chosen, for date inputs. */
export const startDays = (now: Date, timeZone: string): { min: string; max: string } => ({
  min: localTimeOf(now, timeZone).date,
  max: localTimeOf(addMs(now, START_MAX_AHEAD_MS), timeZone).date,
});

/** The UTC offset of a zone at a time: 'GMT+5:45'. */
export const offsetText = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "shortOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";
