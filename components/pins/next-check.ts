import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

const POLL_MS = 3 * SECOND_MS;
/** Between two checks of an overdue pin, and after a failed check. */
export const IDLE_MS = 30 * SECOND_MS;
const DUE_SOON_MS = 15 * SECOND_MS;
const OVERDUE_MS = 2 * MINUTE_MS;
const MAX_DELAY_MS = 15 * MINUTE_MS;

/** How long until a pin is likely to have changed: seconds around its time, longer when it is overdue. */
const delayOf = ({ scheduled_at }: PinWire, nowMs: number): number => {
  const untilDueMs = Date.parse(scheduled_at ?? "") - nowMs;
  return untilDueMs < -OVERDUE_MS ? IDLE_MS : untilDueMs < DUE_SOON_MS ? POLL_MS : untilDueMs - DUE_SOON_MS;
};

/** Which pins to fetch next, at most one page, and when. Null when none is scheduled. */
export const nextCheck = (pins: readonly PinWire[], nowMs: number): { ids: string[]; delayMs: number } | null => {
  const delays = pins
    .filter(({ status }) => status === "scheduled")
    .map((pin) => ({ id: pin.id, delayMs: Math.min(MAX_DELAY_MS, delayOf(pin, nowMs)) }))
    .sort((a, b) => a.delayMs - b.delayMs);
  const [first] = delays;
  if (!first) return null;
  const due = delays.filter(({ delayMs }) => delayMs <= first.delayMs + DUE_SOON_MS).slice(0, PAGE_MAX);
  return { ids: due.map(({ id }) => id), delayMs: first.delayMs };
};
