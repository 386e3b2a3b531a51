import { createContext, useContext } from "react";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import type { DropTarget } from "./calendar-moves.ts";

/** A pin that is moved by keyboard, and where it would go. */
export interface Carried {
  /** First the one that the user chose. They may leave the view. */
  pins: readonly CalendarPinWire[];
  target: Extract<DropTarget, { date: string }>;
}

/** What the views of the calendar share. */
export interface CalendarTools {
  zone: string;
  /** The current day in the zone. */
  today: string;
  boardNames: ReadonlyMap<string, string>;
  selected: ReadonlySet<string>;
  pending: ReadonlyMap<string, string | null>;
  carried: Carried | null;
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

/** The pin first, then the others of the selection when it belongs to it. */
export const withSelection = (id: string, selected: ReadonlySet<string>): string[] =>
  selected.has(id) ? [id, ...[...selected].filter((other) => other !== id)] : [id];

export const CalendarContext = createContext<CalendarTools | null>(null);

/** @throws Error outside of the calendar */
export const useCalendarTools = (): CalendarTools => {
  const tools = useContext(CalendarContext);
  if (!tools) throw new Error("This component belongs into the calendar.");
  return tools;
};
