import { MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { PacedPreviewWire, PlanWire } from "#lib/features/planning/schema.ts";
import { breachText, moveText } from "#lib/features/planning/texts.ts";
import { planSlots } from "#lib/features/publishing/policy.ts";
import type { DuplicateBy, PreviewedSlotWire } from "#lib/features/publishing/schema.ts";

/** What the pace did to a time, or, as a warning, which of its rules the time breaks. */
interface PaceNote {
  text: string;
  isWarning: boolean;
}

/** A planned pin as the list shows it: its time and its warnings. */
export interface SlotView {
  pin: PinWire;
  dueAt: Date;
  clash: PreviewedSlotWire["clash"];
  duplicate: PreviewedSlotWire["duplicate"];
  linkWarning: string | null;
  paceNotes: readonly PaceNote[];
}

const warnings = (texts: readonly string[]): PaceNote[] => texts.map((text) => ({ text, isWarning: true }));

export const slotViews = (
  pins: readonly PinWire[],
  dueAt: readonly Date[],
  preview: PacedPreviewWire | null,
): SlotView[] => {
  const found = new Map(preview?.slots.map((slot) => [slot.post_id, slot]));
  const paces = new Map(preview?.pace.map((one) => [one.post_id, one]));
  const notesOf = (id: string) => {
    const pace = paces.get(id);
    return pace ? warnings(pace.breaches.map((breach) => breachText(breach, pace.numbers))) : [];
  };
  return pins.flatMap((pin, k) => {
    const at = dueAt[k];
    const { clash = null, duplicate = null } = found.get(pin.id) ?? {};
    const paceNotes = notesOf(pin.id);
    return at ? [{ pin, dueAt: at, clash, duplicate, linkWarning: pin.link_warning, paceNotes }] : [];
  });
};

/** The pins of a plan by time, with what moved them. */
export const planViews = (pins: readonly PinWire[], plan: PlanWire | null): SlotView[] => {
  const byId = new Map(pins.map((pin) => [pin.id, pin]));
  const views = (plan?.slots ?? []).flatMap(({ post_id, due_at, moves, breaches }): SlotView[] => {
    const pin = byId.get(post_id);
    if (!pin || !plan) return [];
    const moved = moves.map((move) => ({ text: moveText(move, plan.numbers), isWarning: false }));
    const paceNotes = [...moved, ...warnings(breaches.map((breach) => breachText(breach, plan.numbers)))];
    return [{ pin, dueAt: new Date(due_at), clash: null, duplicate: null, linkWarning: pin.link_warning, paceNotes }];
  });
  return views.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
};

/** How many pins of a plan have warnings, by kind: '2 nearly identical to another pin'. Empty without any. */
export const warningCounts = (slots: readonly SlotView[]): string[] => {
  const count = (has: (slot: SlotView) => boolean) => slots.filter(has).length;
  const counts: [number, string][] = [
    [count(({ clash }) => clash !== null), "within five minutes of another pin"],
    [count(({ duplicate }) => duplicate !== null), "nearly identical to another pin"],
    [count(({ paceNotes }) => paceNotes.some(({ isWarning }) => isWarning)), "not following your safe pace"],
    [count(({ linkWarning }) => linkWarning !== null), "with a link to check"],
  ];
  return counts.filter(([n]) => n > 0).map(([n, label]) => `${n} ${label}`);
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached, since a list formats hundreds of times. */
const formatOf = (timeZone: string, hasYear: boolean): Intl.DateTimeFormat => {
  const key = `${timeZone} ${hasYear}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat("en-US", {
      weekday: "short",
      month: "short",
      day: "numeric",
      ...(hasYear && { year: "numeric" as const }),
      hour: "numeric",
      minute: "2-digit",
      timeZone,
    });
  formats.set(key, format);
  return format;
};

const yearOf = (at: Date, timeZone: string): string => localTimeOf(at, timeZone).date.slice(0, 4);

/** A time with its weekday, such as 'Mon, Nov 23, 3:04 PM'; with the year when it is not the current one. */
export const slotTime = (at: Date, now: Date, timeZone: string): string =>
  formatOf(timeZone, yearOf(at, timeZone) !== yearOf(now, timeZone))
    .format(at)
    .replaceAll("\u202f", " ");

const SUBJECTS: Record<DuplicateBy, string> = {
  image: "The image is",
  title: "The title is",
  both: "The image and title are",
};

export const duplicateText = (
  { by, title, status, at }: NonNullable<SlotView["duplicate"]>,
  time: (iso: string) => string,
): string => {
  const when = status === "selected" ? "which you also selected" : at ? `${status} ${time(at)}` : status;
  return `${SUBJECTS[by]} nearly identical to “${title}”, ${when}.`;
};

const MAX_TACKS = 4;

/** Four tacks, or three where only three can be evenly spaced. */
const tackCount = (pins: number): number =>
  pins > MAX_TACKS && (pins - 1) % 3 !== 0 && (pins - 1) % 2 === 0 ? 3 : Math.min(MAX_TACKS, pins);

/** Minutes as '3h 0m', or '2d 3h 0m' from a day on. */
export const durationText = (minutes: number): string => {
  const days = Math.floor(minutes / 1_440);
  const hours = Math.floor((minutes % 1_440) / 60);
  return `${days > 0 ? `${days}d ` : ""}${hours}h ${minutes % 60}m`;
};

/** A tack on the bar's thread: its position (0 to 1) and time. */
interface TimelineTack {
  share: number;
  at: Date;
}

/** Up to four tacks: the first pin, the last one, and some between them. */
export const timelineOf = (count: number, start: Date, intervalMinutes: number): TimelineTack[] => {
  const slots = planSlots(
    Array.from({ length: count }, (_, k) => k),
    start,
    intervalMinutes,
  );
  const displayCount = tackCount(count);
  return Array.from({ length: displayCount }, (_, n) => {
    const k = displayCount === 1 ? 0 : Math.round((n * (count - 1)) / (displayCount - 1));
    const slot = slots[k];
    return { share: count === 1 ? 0.5 : k / (count - 1), at: slot?.dueAt ?? start };
  });
};

/** The next full minute, so that times on the bar do not change while they are read. */
export const roundToMinute = (at: Date): Date => new Date(Math.ceil(at.getTime() / MINUTE_MS) * MINUTE_MS);
