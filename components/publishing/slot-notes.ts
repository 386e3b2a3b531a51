import { MINUTE_MS } from "#lib/core/time.ts";
import { wallTimeOf } from "#lib/core/zoned-time.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { planSlots } from "#lib/features/publishing/policy.ts";
import type { PreviewedSlotWire, PreviewWire, TwinBy } from "#lib/features/publishing/schema.ts";

/** One pin of a plan as the list shows it: its time, and what speaks against it. */
export interface SlotView {
  post: PostWire;
  dueAt: Date;
  clash: PreviewedSlotWire["clash"];
  twin: PreviewedSlotWire["twin"];
  linkWarning: string | null;
}

/** The plan's pins with what was found out about them. */
export const slotViews = (
  posts: readonly PostWire[],
  dueAt: readonly Date[],
  preview: PreviewWire | null,
): SlotView[] => {
  const found = new Map(preview?.slots.map((slot) => [slot.post_id, slot]));
  return posts.flatMap((post, k) => {
    const at = dueAt[k];
    const { clash = null, twin = null } = found.get(post.id) ?? {};
    return at ? [{ post, dueAt: at, clash, twin, linkWarning: post.link_warning }] : [];
  });
};

/** How many pins of a plan have something against them, by kind, in words: '2 nearly the same'. Empty when nothing does. */
export const noteCounts = (slots: readonly SlotView[]): string[] => {
  const count = (has: (slot: SlotView) => boolean) => slots.filter(has).length;
  const counts: [number, string][] = [
    [count(({ clash }) => clash !== null), "within five minutes of another pin"],
    [count(({ twin }) => twin !== null), "nearly the same"],
    [count(({ linkWarning }) => linkWarning !== null), "with a link to check"],
  ];
  return counts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** A list of hundreds asks for each of its times. */
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

const yearOf = (at: Date, timeZone: string): string => wallTimeOf(at, timeZone).date.slice(0, 4);

/** A time with its weekday, as 'Mon, Nov 23, 3:04 PM'; with the year where that is another one. */
export const slotTime = (at: Date, now: Date, timeZone: string): string =>
  formatOf(timeZone, yearOf(at, timeZone) !== yearOf(now, timeZone))
    .format(at)
    .replaceAll("\u202f", " ");

const ALIKE: Record<TwinBy, string> = {
  picture: "The picture is",
  title: "The title is",
  both: "Picture and title are",
};

/** What a pin is nearly the same as, in a sentence. */
export const twinText = (
  { by, title, status, at }: NonNullable<SlotView["twin"]>,
  time: (iso: string) => string,
): string => {
  const when = status === "selected" ? "which you selected as well" : at ? `${status} ${time(at)}` : status;
  return `${ALIKE[by]} nearly the same as “${title}”, ${when}.`;
};

const MAX_TACKS = 4;

/** Four tacks, or three where only three stand at equal distances. */
const tackCount = (pins: number): number =>
  pins > MAX_TACKS && (pins - 1) % 3 !== 0 && (pins - 1) % 2 === 0 ? 3 : Math.min(MAX_TACKS, pins);

/** Minutes as '3h 0m', or '2d 3h 0m' from a day on. */
export const durationText = (minutes: number): string => {
  const days = Math.floor(minutes / 1_440);
  const hours = Math.floor((minutes % 1_440) / 60);
  return `${days > 0 ? `${days}d ` : ""}${hours}h ${minutes % 60}m`;
};

/** One tack on the bar's thread: how far along (0 to 1) and its time. */
interface TimelineTack {
  share: number;
  at: Date;
}

/** At most four tacks that show when the pins would go out: the first, the last, and some between them. */
export const timelineOf = (count: number, start: Date, intervalMinutes: number): TimelineTack[] => {
  const slots = planSlots(
    Array.from({ length: count }, (_, k) => k),
    start,
    intervalMinutes,
  );
  const shownCount = tackCount(count);
  return Array.from({ length: shownCount }, (_, n) => {
    const k = shownCount === 1 ? 0 : Math.round((n * (count - 1)) / (shownCount - 1));
    const slot = slots[k];
    return { share: count === 1 ? 0.5 : k / (count - 1), at: slot?.dueAt ?? start };
  });
};

/** The next full minute: times on the bar do not jump while somebody reads them. */
export const roundToMinute = (at: Date): Date => new Date(Math.ceil(at.getTime() / MINUTE_MS) * MINUTE_MS);
