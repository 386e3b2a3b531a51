import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { momentOf, type WallTime, wallTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";
import { START_MAX_AHEAD_MS, TEXTS } from "#lib/features/publishing/constants.ts";

/** When the first pin goes out, as somebody chose it: at once, or by calendar and clock of their time zone. */
export interface StartChoice extends WallTime {
  kind: "once" | "later";
  /** The moment that was meant where a press named it: of times that come twice, calendar and clock tell only the first. */
  exact: Date | null;
}

/** A choice as a moment. `start`: null for at once; `problem`: why nothing can be scheduled like this. */
export interface StartRead {
  start: Date | null;
  problem: string | null;
  /** What is worth knowing about a start that is good. */
  note: string | null;
}

export const AT_ONCE: StartChoice = { kind: "once", date: "", time: "", exact: null };

const refused = (problem: string): StartRead => ({ start: null, problem, note: null });

const isShown = (at: Date, { date, time }: WallTime, timeZone: string): boolean => {
  const wall = wallTimeOf(at, timeZone);
  return wall.date === date && wall.time === time;
};

/** A choice that means exactly this moment. */
export const startAt = (exact: Date, timeZone: string): StartChoice => ({
  kind: "later",
  ...wallTimeOf(exact, timeZone),
  exact,
});

/** What is offered first to whoever wants a later start: the next full hour on their clock that is not just about to come. */
export const nextHour = (now: Date, timeZone: string): StartChoice => {
  const ahead = addMs(now, HOUR_MS / 2);
  const offset = zoneOffsetMs(ahead, timeZone);
  const wall = Math.ceil((ahead.getTime() + offset) / HOUR_MS) * HOUR_MS;
  return startAt(new Date(wall - offset), timeZone);
};

/** Reads a choice in a time zone: the present minute is still to come, and what no clock shows is refused. */
export const readStart = (choice: StartChoice, timeZone: string, now: Date): StartRead => {
  if (choice.kind === "once") return { start: null, problem: null, note: null };
  const named = momentOf(choice, timeZone);
  if (!named) return refused(TEXTS.startMissing);
  if (named.clock === "skipped") return refused(TEXTS.startSkipped);
  const isExact = choice.exact !== null && isShown(choice.exact, choice, timeZone);
  const start = isExact && choice.exact ? choice.exact : named.at;
  if (start < addMs(now, -MINUTE_MS)) return refused(TEXTS.timePassed);
  if (start > addMs(now, START_MAX_AHEAD_MS)) return refused(TEXTS.startTooFar);
  return { start, problem: null, note: named.clock === "twice" && !isExact ? TEXTS.startTwice : null };
};

/** The first and the last day that can be chosen, as date fields take them. */
export const startDays = (now: Date, timeZone: string): { min: string; max: string } => ({
  min: wallTimeOf(now, timeZone).date,
  max: wallTimeOf(addMs(now, START_MAX_AHEAD_MS), timeZone).date,
});

/** How a zone's clock stands to the world's at a moment: 'GMT+5:45'. */
export const offsetText = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "shortOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";
