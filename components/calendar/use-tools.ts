"use client";

import { useMemo } from "react";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import type { BoardWire } from "#lib/features/accounts/schema.ts";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import { type CalendarTools, withSelection } from "./calendar-context.ts";

interface ToolsProps extends Pick<CalendarTools, "zone" | "today" | "toggle" | "move" | "place"> {
  boards: readonly BoardWire[] | null;
  selected: ReadonlySet<string>;
  askTime: (ids: readonly string[]) => void;
  openDay: (date: string | null) => void;
  pickUp: (pin: CalendarPinWire, ids: readonly string[]) => void;
  openPin: (pinId: string) => void;
}

/** The same object until the zone, the day, or the boards change. */
export const useTools = ({
  zone,
  today,
  toggle,
  move,
  place,
  boards,
  selected,
  ...acts
}: ToolsProps): CalendarTools => {
  const { openDay } = acts;
  const withSelected = useStableCallback((id: string) => withSelection(id, selected));
  const askTime = useStableCallback(acts.askTime);
  const open = useStableCallback(acts.openPin);
  const pickUp = useStableCallback((pin: CalendarPinWire) => {
    openDay(null);
    acts.pickUp(pin, withSelection(pin.id, selected));
  });
  return useMemo(() => {
    const boardNames = new Map((boards ?? []).map(({ id, name }) => [id, name]));
    return { zone, today, boardNames, withSelected, toggle, open, openDay, move, place, askTime, pickUp };
  }, [zone, today, boards, withSelected, toggle, open, openDay, move, place, askTime, pickUp]);
};
