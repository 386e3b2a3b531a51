"use client";

import { useMemo } from "react";
import { useMoves } from "#components/publishing/use-moves.ts";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api } from "#lib/client/api.ts";
import { nextSequence, useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { DRAFTS_SHOWN } from "#lib/features/calendar/constants.ts";
import { nextFreeSlots } from "#lib/features/calendar/policy.ts";
import type { CalendarPinWire, CalendarWire, PostingSlot } from "#lib/features/calendar/schema.ts";
import type { PinsWire, PinWire } from "#lib/features/pins/schema.ts";
import { shownPins } from "./calendar-moves.ts";

interface CalendarRange {
  from: string;
  to: string;
}

interface CalendarData extends CalendarWire {
  requestedAt: number;
}

/** The server-rendered calendar and drafts of an account. */
export interface InitialCalendar {
  accountId: string;
  range: CalendarRange;
  calendar: CalendarWire;
  drafts: PinWire[];
}

const draftsPath = (accountId: string): string =>
  `/api/users/pinterest/generated-pins/${accountId}/?status=draft&limit=${DRAFTS_SHOWN}`;

/** The account's drafts, newest first. */
const useDrafts = (accountId: string, initial: InitialCalendar | null) => {
  const rows = useLiveRows<PinWire>(queryKeys.pinRows);
  const call = useApiQuery(
    [...queryKeys.calendarDrafts, accountId],
    async (signal) => {
      const requestedAt = nextSequence();
      const { posts } = await api.get<PinsWire>(draftsPath(accountId), signal);
      return { posts, requestedAt };
    },
    {
      placeholderData: () => (initial?.accountId === accountId ? { posts: initial.drafts, requestedAt: 0 } : undefined),
    },
  );
  const { data, reload } = call;
  const pins = useMemo(() => {
    const current = (data?.posts ?? []).flatMap((pin) => {
      const row = rows.get(pin.id);
      return row && row.at > (data?.requestedAt ?? 0) ? (row.value ?? []) : pin;
    });
    return current.filter(({ status }) => status === "draft");
  }, [data, rows]);
  return { pins, hasMore: (data?.posts.length ?? 0) === DRAFTS_SHOWN, reload };
};

/** The loaded pins of a range; first the server-rendered ones. */
const usePins = (accountId: string, range: CalendarRange, initial: InitialCalendar | null) => {
  const isInitial =
    initial?.accountId === accountId && initial.range.from === range.from && initial.range.to === range.to;
  return useApiQuery<CalendarData>(
    [...queryKeys.calendar, "pins", accountId, range.from, range.to],
    async (signal) => {
      const requestedAt = nextSequence();
      const search = new URLSearchParams({ from: range.from, to: range.to });
      const body = await api.get<CalendarWire>(`/api/users/pinterest/calendar/${accountId}/?${search}`, signal);
      return { ...body, requestedAt };
    },
    { placeholderData: () => (isInitial && initial ? { ...initial.calendar, requestedAt: 0 } : undefined) },
  );
};

/** The pins and drafts of an account, and what moves them. */
export const useCalendar = (accountId: string, range: CalendarRange, initial: InitialCalendar | null) => {
  const rows = useLiveRows<PinWire>(queryKeys.pinRows);
  const { data, error, reload: reloadPins } = usePins(accountId, range, initial);
  const drafts = useDrafts(accountId, initial);
  const reload = useStableCallback(async () => {
    await Promise.all([reloadPins(), drafts.reload()]);
  });
  const { pending, move } = useMoves(reload);
  const pins = useMemo(
    () => (data ? shownPins(data, rows, { accountId, range, pending, drafts: drafts.pins }) : null),
    [data, rows, accountId, range, pending, drafts.pins],
  );
  const tray = useMemo(() => drafts.pins.filter(({ id }) => !pending.has(id)), [drafts.pins, pending]);
  const hasMore = data?.has_more ?? false;
  return { pins, drafts: tray, hasMoreDrafts: drafts.hasMore, hasMore, error, pending, reload, move };
};

export type Calendar = ReturnType<typeof useCalendar>;

interface SlotProps {
  pins: readonly CalendarPinWire[] | null;
  slots: readonly PostingSlot[];
  zone: string;
  days: readonly string[];
  now: Date;
}

/** Slots of these days that are still to come and that no pin takes; none before the pins are loaded. */
export const useFreeSlots = ({ pins, slots, zone, days, now }: SlotProps): Date[] =>
  useMemo(() => {
    const [firstDay, lastDay] = [days[0], days.at(-1)];
    if (!pins || slots.length === 0 || !firstDay || !lastDay) return [];
    const taken = pins.filter(({ status }) => status === "scheduled").map(({ at }) => new Date(at));
    const found = { firstDay, lastDay, count: Number.POSITIVE_INFINITY, spreadDays: null };
    return nextFreeSlots({ slots, zone, now, taken, ...found }).map(({ at }) => at);
  }, [pins, slots, zone, days, now]);
