import { MINUTE_MS } from "#lib/core/time.ts";
import { planSlots } from "#lib/features/publishing/policy.ts";

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
export interface TimelineTack {
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
