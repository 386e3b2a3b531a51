import { z } from "zod";
import { addMs, DAY_MS, isTimeZone } from "#lib/core/time.ts";
import { accountId } from "#lib/features/accounts/schema.ts";
import type { PinFormat } from "#lib/features/pins/constants.ts";
import { dateTime, opaqueId } from "#lib/features/pins/schema.ts";
import {
  CALENDAR_DAYS_MAX,
  MINUTES_PER_DAY,
  MOVES_MAX,
  SLOT_SEARCH_DAYS,
  SLOT_TAKEN_MINUTES,
  SLOTS_MAX,
  TEXTS,
} from "./constants.ts";

export const timeZone = z.string(TEXTS.zoneInvalid).max(100, TEXTS.zoneInvalid).refine(isTimeZone, TEXTS.zoneInvalid);

/** GET /api/users/pinterest/calendar/{accountId}/ */
export const readCalendarInput = z
  .object({ accountId, from: dateTime(TEXTS.rangeInvalid), to: dateTime(TEXTS.rangeInvalid) })
  .refine(({ from, to }) => to > from && to <= addMs(from, CALENDAR_DAYS_MAX * DAY_MS), {
    message: TEXTS.rangeInvalid,
    path: ["to"],
  });
export type ReadCalendarInput = z.output<typeof readCalendarInput>;

const move = z
  .object({
    post_id: opaqueId,
    from: dateTime(TEXTS.movesInvalid).nullable(),
    to: dateTime(TEXTS.movesInvalid).nullable(),
  })
  .refine(({ from, to }) => from?.getTime() !== to?.getTime(), { message: TEXTS.nothingMoves, path: ["to"] })
  .transform(({ post_id, from, to }) => ({ pinId: post_id, from, to }));

/** POST /api/users/pinterest/move-pins/. `from` and `to`: the time, or null for a draft. */
export const movePinsInput = z
  .object({
    moves: z
      .array(move, TEXTS.movesInvalid)
      .min(1, TEXTS.movesInvalid)
      .max(MOVES_MAX, TEXTS.tooManyMoves)
      .refine((all) => new Set(all.map(({ pinId }) => pinId)).size === all.length, TEXTS.duplicates),
    is_undo: z.boolean(TEXTS.isUndoInvalid).default(false),
    into_free_slots: z.boolean(TEXTS.intoFreeSlotsInvalid).default(false),
  })
  .transform(({ moves, is_undo, into_free_slots }) => ({
    moves,
    isUndo: is_undo,
    requiresFreeSlots: into_free_slots,
  }));
export type MovePinsInput = z.output<typeof movePinsInput>;
export type PinMove = MovePinsInput["moves"][number];

const slotSchema = z.object({
  weekday: z.int(TEXTS.slotsInvalid).min(0, TEXTS.slotsInvalid).max(6, TEXTS.slotsInvalid),
  minute: z
    .int(TEXTS.slotsInvalid)
    .min(0, TEXTS.slotsInvalid)
    .max(MINUTES_PER_DAY - 1, TEXTS.slotsInvalid),
});
/** A weekly time in the account's time zone. `weekday`: 0 is Sunday. `minute`: after midnight. */
export type PostingSlot = z.output<typeof slotSchema>;

const MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;

/** Whether one pin takes only one of them, also across the end of the week. */
const areApart = (all: readonly PostingSlot[]): boolean => {
  const minutes = all.map(({ weekday, minute }) => weekday * MINUTES_PER_DAY + minute).toSorted((a, b) => a - b);
  const isApart = (minute: number, at: number) =>
    (minutes[at + 1] ?? (minutes[0] ?? 0) + MINUTES_PER_WEEK) - minute >= SLOT_TAKEN_MINUTES;
  return minutes.length < 2 || minutes.every(isApart);
};

export const saveSlotsInput = z.object({
  accountId,
  slots: z
    .array(slotSchema, TEXTS.slotsInvalid)
    .max(SLOTS_MAX, TEXTS.slotsInvalid)
    .refine(
      (all) => new Set(all.map(({ weekday, minute }) => weekday * MINUTES_PER_DAY + minute)).size === all.length,
      TEXTS.slotsTwice,
    )
    .refine(areApart, TEXTS.slotsOverlap),
});
export type SaveSlotsInput = z.output<typeof saveSlotsInput>;

/** `timeZone`: of the browser, for an account without its own. */
export const suggestSlotsInput = z.object({ accountId, timeZone });
export type SuggestSlotsInput = z.output<typeof suggestSlotsInput>;

export const planSlotsInput = z.object({
  accountId,
  pinIds: z.array(opaqueId).min(1, TEXTS.movesInvalid).max(MOVES_MAX, TEXTS.tooManyMoves),
  timeZone,
  /** The first day in the account's time zone, as `2026-11-27`; null and days that have passed mean today. */
  firstDay: z.iso.date().nullable(),
  /** The last day; pins that don't fit get no slot. Null: all pins get one, within a year. */
  lastDay: z.iso.date().nullable(),
  /** The number of days to spread the pins over; null for the next slots. */
  spreadDays: z
    .int(TEXTS.spreadInvalid)
    .min(1, TEXTS.spreadInvalid)
    .max(SLOT_SEARCH_DAYS + 1, TEXTS.spreadInvalid)
    .nullable(),
});
export type PlanSlotsInput = z.output<typeof planSlotsInput>;

export const setAccountTimeZoneInput = z.object({ accountId, timeZone: timeZone.nullable() });
export type SetAccountTimeZoneInput = z.output<typeof setAccountTimeZoneInput>;

/** A pin with its place in the calendar. Metrics are null unless it is published and they are stored. */
export interface CalendarPinWire {
  id: string;
  title: string;
  image_url: string;
  status: "scheduled" | "published" | "failed";
  format: PinFormat;
  /** When it goes out, went out, or was to go out. */
  at: string;
  board_id: string;
  reason: string | null;
  impressions: number | null;
  outbound_clicks: number | null;
}

export interface CalendarWire {
  /** By time. */
  posts: CalendarPinWire[];
  /** The range has more pins than one response may hold; the last ones are missing. */
  has_more: boolean;
}

export interface MovedWire {
  moved: number;
}

/** `clock`: whether the local time was moved because clocks skip it, or is the first of two. */
export interface PlannedSlotWire {
  post_id: string;
  at: string;
  clock: "plain" | "skipped" | "repeated";
}

/** `isFromResults`: from the account's own results; else a default. */
export interface SuggestedSlotsWire {
  slots: PostingSlot[];
  isFromResults: boolean;
}
