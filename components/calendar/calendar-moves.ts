import { clockChangeNote, dayLabel, timeLabel } from "#components/publishing/moments.ts";
import type { MovePlan, PinMove } from "#components/publishing/move-plan.ts";
import type { LiveRows } from "#lib/client/live-cache.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf, type ResolvedTime } from "#lib/core/zoned-time.ts";
import { DAY_START_MINUTE, MINUTES_PER_DAY, SLOT_TAKEN_MINUTES } from "#lib/features/calendar/constants.ts";
import {
  addDays,
  daysBetween,
  instantOn,
  moveToDay,
  nextFreeSlots,
  type SlotSearch,
} from "#lib/features/calendar/policy.ts";
import type { CalendarPinWire, PostingSlot } from "#lib/features/calendar/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

/** Where pins are put. */
export type DropTarget =
  | { kind: "day"; date: string }
  | { kind: "hour"; date: string; hour: number }
  | { kind: "exact"; at: Date }
  | { kind: "drafts" };

/** A pin as the calendar shows it; null for drafts and pins of other accounts. */
const toCalendarPin = (pin: PinWire, accountId: string): CalendarPinWire | null => {
  const at = pin.status === "published" ? pin.published_at : pin.scheduled_at;
  if (pin.status === "draft" || at === null || pin.account_id !== accountId) return null;
  const { id, title, image_url, status, format, board_id, reason } = pin;
  return { id, title, image_url, status, format, at, board_id, reason, impressions: null, outbound_clicks: null };
};

const byTime = (a: CalendarPinWire, b: CalendarPinWire): number => a.at.localeCompare(b.at) || a.id.localeCompare(b.id);

interface Loaded {
  posts: readonly CalendarPinWire[];
  /** Events after it are newer than the posts. */
  requestedAt: number;
}

interface Shown {
  accountId: string;
  range: { from: string; to: string };
  /** Times that the user chose and the server has not confirmed yet; null for drafts. */
  pending: ReadonlyMap<string, string | null>;
  /** Drafts that `pending` may place. */
  drafts: readonly PinWire[];
}

/** The loaded pins, updated by live events and by what the user just did. */
export const shownPins = (loaded: Loaded, rows: LiveRows<PinWire>, shown: Shown): CalendarPinWire[] => {
  const pins = new Map(loaded.posts.map((pin) => [pin.id, pin]));
  for (const [id, { value, at }] of rows) {
    if (at <= loaded.requestedAt) continue;
    const next = value && toCalendarPin(value, shown.accountId);
    const before = pins.get(id);
    if (!next) pins.delete(id);
    else if (next.at >= shown.range.from && next.at < shown.range.to)
      pins.set(id, {
        ...next,
        impressions: before?.impressions ?? null,
        outbound_clicks: before?.outbound_clicks ?? null,
      });
    else pins.delete(id);
  }
  for (const [id, at] of shown.pending) {
    const draft = at === null ? undefined : shown.drafts.find((one) => one.id === id);
    const pin =
      pins.get(id) ?? (draft && toCalendarPin({ ...draft, status: "scheduled", scheduled_at: at }, shown.accountId));
    if (pin && at === null) pins.delete(id);
    else if (pin && at !== null) pins.set(id, { ...pin, at });
  }
  return [...pins.values()].toSorted(byTime);
};

const clockNote = ({ at, clock }: ResolvedTime, zone: string): string | null =>
  clock === "plain" ? null : clockChangeNote(at, zone);

const passedText = (at: Date, zone: string): string =>
  `${timeLabel(at, zone)} on ${dayLabel(localTimeOf(at, zone).date)} has passed. Choose a later time.`;

const finish = (
  moves: PinMove[],
  times: readonly ResolvedTime[],
  { zone, now }: { zone: string; now: Date },
): MovePlan => {
  const passed = times.find(({ at }) => at < addMs(now, -MINUTE_MS));
  return {
    moves: moves.filter(({ from, to }) => from !== to),
    problem: passed ? passedText(passed.at, zone) : null,
    note: times.map((time) => clockNote(time, zone)).find((note) => note !== null) ?? null,
  };
};

type Clock = { zone: string; now: Date };

/** The full hour; a pin that was already in it keeps its minutes. */
const hourOf = (at: Date, { date, hour }: Extract<DropTarget, { kind: "hour" }>, zone: string): ResolvedTime =>
  Number(localTimeOf(at, zone).time.slice(0, 2)) === hour
    ? moveToDay(at, date, zone)
    : instantOn(date, hour * 60, zone);

const GONE = "This pin is no longer scheduled, so it can't be moved.";

/**
 * Moves scheduled pins: to a day they keep their local times, to an hour or time they keep their distances. The first one
 * is what the user dragged.
 */
export const planMoves = (pins: readonly CalendarPinWire[], target: DropTarget, clock: Clock): MovePlan => {
  const { zone } = clock;
  const [lead] = pins;
  if (!lead) return { moves: [], problem: GONE, note: null };
  if (target.kind === "drafts") {
    return { moves: pins.map(({ id, at }) => ({ id, from: at, to: null })), problem: null, note: null };
  }
  const leadAt = new Date(lead.at);
  const dateOf = (at: Date) => localTimeOf(at, zone).date;
  const plain = (at: Date): ResolvedTime => ({ at, clock: "plain" });
  const moved = (): ((at: Date) => ResolvedTime) => {
    if (target.kind === "day") {
      const days = daysBetween(dateOf(leadAt), target.date);
      return (at) => moveToDay(at, addDays(dateOf(at), days), zone);
    }
    const to = target.kind === "hour" ? hourOf(leadAt, target, zone) : plain(target.at);
    const shift = to.at.getTime() - leadAt.getTime();
    return (at) => (at === leadAt ? to : plain(addMs(at, shift)));
  };
  const move = moved();
  const times = pins.map((pin) => move(pin === lead ? leadAt : new Date(pin.at)));
  const moves = pins.map(({ id, at }, index) => ({ id, from: at, to: times[index]?.at.toISOString() ?? at }));
  return finish(moves, times, clock);
};

interface DraftPlan extends Clock {
  slots: readonly PostingSlot[];
  /** The account's scheduled pins of that day. */
  taken: readonly Date[];
}

/** Free full hours of a day from 9 AM on that have not passed; fewer when the day ends. */
const freeHours = (date: string, count: number, { zone, now, taken }: DraftPlan): ResolvedTime[] => {
  const found: ResolvedTime[] = [];
  for (let minute = DAY_START_MINUTE; minute < MINUTES_PER_DAY && found.length < count; minute += 60) {
    const time = instantOn(date, minute, zone);
    const isFree = [...taken, ...found.map(({ at }) => at)].every(
      (other) => Math.abs(other.getTime() - time.at.getTime()) >= SLOT_TAKEN_MINUTES * MINUTE_MS,
    );
    if (isFree && time.at > now) found.push(time);
  }
  return found;
};

/** Between drafts that are put on one hour. */
const DRAFT_GAP_MS = 15 * MINUTE_MS;

const dayFullText = (target: DropTarget, { zone, now }: Clock): string => {
  const date = target.kind === "day" ? target.date : localTimeOf(now, zone).date;
  return date < localTimeOf(now, zone).date
    ? `${dayLabel(date)} has passed. Choose a later day.`
    : `${dayLabel(date)} doesn't have room for these drafts. Choose another day, or select fewer drafts.`;
};

/** The first free slot in an hour, else the full hour. */
const slotIn = (
  { date, hour }: Extract<DropTarget, { kind: "hour" }>,
  search: Omit<SlotSearch, "firstDay" | "lastDay" | "count">,
): ResolvedTime => {
  const slots = search.slots.filter(({ minute }) => Math.floor(minute / 60) === hour);
  const [free] = nextFreeSlots({ ...search, slots, firstDay: date, lastDay: date, count: 1 });
  return free ?? instantOn(date, hour * 60, search.zone);
};

/**
 * Schedules drafts: on a day they take its free slots, then free hours; from an hour or its slot on they are 15 minutes
 * apart.
 */
export const planDrafts = (ids: readonly string[], target: DropTarget, plan: DraftPlan): MovePlan => {
  const { zone, now, slots, taken } = plan;
  const times = (): ResolvedTime[] => {
    if (target.kind === "drafts") return [];
    const search = { zone, now, taken, spreadDays: null };
    if (target.kind !== "day") {
      const first = target.kind === "hour" ? slotIn(target, { ...search, slots }) : null;
      const start = first?.at ?? (target.kind === "exact" ? target.at : now);
      return ids.map((_, index) => ({
        at: addMs(start, index * DRAFT_GAP_MS),
        clock: index === 0 ? (first?.clock ?? "plain") : "plain",
      }));
    }
    const { date } = target;
    const inSlots = nextFreeSlots({ ...search, slots, firstDay: date, lastDay: date, count: ids.length });
    const busy = [...taken, ...inSlots.map(({ at }) => at)];
    return [...inSlots, ...freeHours(date, ids.length - inSlots.length, { ...plan, taken: busy })];
  };
  const at = times();
  if (at.length < ids.length) return { moves: [], problem: dayFullText(target, plan), note: null };
  return finish(
    ids.flatMap((id, index) => (at[index] ? [{ id, from: null, to: at[index].at.toISOString() }] : [])),
    at,
    plan,
  );
};
