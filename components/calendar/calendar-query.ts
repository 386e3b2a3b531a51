import { dateFormat } from "#components/publishing/moments.ts";
import { isIsoDate } from "#lib/core/time.ts";
import { addDays, instantOn, monthGrid, weekOf } from "#lib/features/calendar/policy.ts";

export const VIEWS = ["month", "week", "list"] as const;
export type CalendarView = (typeof VIEWS)[number];

export const STATUSES = ["all", "scheduled", "published", "failed"] as const;
export type CalendarStatus = (typeof STATUSES)[number];

/** The state of the calendar in the URL. */
export interface CalendarQuery {
  view: CalendarView;
  /** The shown month, week or first day of the list is the one of this day. */
  date: string;
  boardId: string | null;
  status: CalendarStatus;
}

export type CalendarSearchParams = Record<string, string | string[] | undefined>;

/** The list shows this many days. */
const LIST_DAYS = 60;

const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined =>
  all.find((known) => known === value);

export const readCalendarQuery = (search: CalendarSearchParams, today: string): CalendarQuery => ({
  view: oneOf(VIEWS, search.view) ?? "month",
  date: typeof search.date === "string" && isIsoDate(search.date) ? search.date : today,
  boardId: typeof search.board === "string" && search.board !== "" ? search.board : null,
  status: oneOf(STATUSES, search.status) ?? "all",
});

export const writeCalendarQuery = (search: URLSearchParams, { view, date, boardId, status }: CalendarQuery): void => {
  search.set("view", view);
  search.set("date", date);
  if (boardId) search.set("board", boardId);
  else search.delete("board");
  if (status === "all") search.delete("status");
  else search.set("status", status);
};

/** The days that a view shows. */
export const daysOf = ({ view, date }: Pick<CalendarQuery, "view" | "date">): string[] => {
  if (view === "month") return monthGrid(date);
  if (view === "week") return weekOf(date);
  return Array.from({ length: LIST_DAYS }, (_, at) => addDays(date, at));
};

/** The instants between which the days lie. */
export const rangeOf = (days: readonly string[], zone: string): { from: string; to: string } => ({
  from: instantOn(days[0] ?? "", 0, zone).at.toISOString(),
  to: instantOn(addDays(days.at(-1) ?? "", 1), 0, zone).at.toISOString(),
});

/** The date of the previous or next month, week, or list. */
export const stepDate = ({ view, date }: Pick<CalendarQuery, "view" | "date">, step: 1 | -1): string => {
  if (view === "week") return addDays(date, 7 * step);
  if (view === "list") return addDays(date, LIST_DAYS * step);
  const [year = 0, month = 0] = date.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + step, 1)).toISOString().slice(0, 10);
};

/** Formats are built once: a month shows a hundred dates, and building one takes longer than all of them. */
const inUtc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });

const monthLabel = dateFormat({ month: "long", year: "numeric" });
const longDay = dateFormat({ month: "long", day: "numeric", year: "numeric" });
const WEEK_FORMAT = inUtc({ month: "short", day: "numeric", year: "numeric" });

/** 'November 2026', 'Nov 22 – 28, 2026', 'From November 27, 2026' */
export const rangeLabel = ({ view, date }: Pick<CalendarQuery, "view" | "date">): string => {
  if (view === "month") return monthLabel(date);
  if (view === "list") return `From ${longDay(date)}`;
  const days = weekOf(date).map((day) => new Date(`${day}T00:00:00.000Z`));
  // Browsers and the server use different spaces here.
  return WEEK_FORMAT.formatRange(days[0] ?? new Date(0), days[6] ?? new Date(0)).replace(/[\u2009\u202f]/g, " ");
};

const HOUR_FORMAT = inUtc({ hour: "numeric" });

/** '9 AM' */
export const hourLabel = (hour: number): string =>
  HOUR_FORMAT.format(new Date(Date.UTC(2026, 0, 1, hour))).replace(/\u202f/g, " ");

/** The same view and dates of another account, which has other boards. */
export const otherAccountUrl = (accountId: string): string => {
  const query = new URLSearchParams(window.location.search);
  query.set("account", accountId);
  query.delete("board");
  return `/app/calendar?${query}`;
};
