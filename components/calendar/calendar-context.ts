import { createContext, useContext } from "react";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import type { DropTarget } from "./calendar-moves.ts";

/** A pin that is moved by keyboard, and where it would go. */
export interface KeyboardMove {
  /** First the one that the user chose. They may leave the view. */
  pins: readonly CalendarPinWire[];
  target: Extract<DropTarget, { date: string }>;
}

/** What the views of the calendar share. It rarely changes, so that a pin renders again only with its own changes. */
export interface CalendarTools {
  zone: string;
  /** The current day in the zone. */
  today: string;
  boardNames: ReadonlyMap<string, string>;
  /** The pin first, then the others of the selection when it belongs to it. */
  withSelected: (id: string) => string[];
  toggle: (id: string) => void;
  open: (pinId: string) => void;
  openDay: (date: string) => void;
  /** Moves scheduled pins, first the one that the user chose. */
  move: (ids: readonly string[], target: DropTarget) => void;
  /** Schedules drafts. */
  place: (ids: readonly string[], target: DropTarget) => void;
  /** Asks for a date and time. */
  askTime: (ids: readonly string[]) => void;
  pickUp: (pin: CalendarPinWire) => void;
}

/** What the user is doing with pins. */
export interface CalendarMarks {
  selected: ReadonlySet<string>;
  pending: ReadonlyMap<string, string | null>;
  keyboardMove: KeyboardMove | null;
}

export const withSelection = (id: string, selected: ReadonlySet<string>): string[] =>
  selected.has(id) ? [id, ...[...selected].filter((other) => other !== id)] : [id];

export const CalendarContext = createContext<CalendarTools | null>(null);
export const MarksContext = createContext<CalendarMarks | null>(null);

const NO_CALENDAR = "This component must be inside the calendar.";

/** @throws Error outside of the calendar */
export const useCalendarTools = (): CalendarTools => {
  const tools = useContext(CalendarContext);
  if (!tools) throw new Error(NO_CALENDAR);
  return tools;
};

/** @throws Error outside of the calendar */
export const useCalendarMarks = (): CalendarMarks => {
  const marks = useContext(MarksContext);
  if (!marks) throw new Error(NO_CALENDAR);
  return marks;
};
