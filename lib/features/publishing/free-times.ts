import "server-only";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { CLASH_MS, FREE_START_ROUNDS_MAX, START_MAX_AHEAD_MS, START_PASSED_MS, TEXTS } from "./constants.ts";
import type { KnownPin } from "./queries.ts";

/** Null and a time that just passed mean now. @throws AppError `invalid` for the past or over a year ahead */
export const planStart = (requested: Date | null, now: Date): Date => {
  if (!requested) return now;
  if (requested < addMs(now, -START_PASSED_MS)) throw new AppError("invalid", { text: TEXTS.timePassed });
  if (requested > addMs(now, START_MAX_AHEAD_MS)) throw new AppError("invalid", { text: TEXTS.startInvalid });
  return requested < now ? now : requested;
};

/** A span in ms where a pin would be too close to another; the end points are allowed. */
type BusySpan = { from: number; to: number };

/** Merged busy spans around scheduled pins, which must be sorted by time. */
const toBusySpans = (scheduled: readonly KnownPin[]): BusySpan[] => {
  const busy: BusySpan[] = [];
  for (const { at } of scheduled) {
    const span = { from: at.getTime() - CLASH_MS, to: at.getTime() + CLASH_MS };
    const last = busy.at(-1);
    if (last && span.from < last.to) last.to = span.to;
    else busy.push(span);
  }
  return busy;
};

const nextFreeTime = (busy: readonly BusySpan[], at: number): number => {
  let [low, high] = [0, busy.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((busy[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const span = busy[low];
  return span && span.from < at ? span.to : at;
};

const roundUpToMinute = (at: number): number => Math.ceil(at / MINUTE_MS) * MINUTE_MS;

/** At a full minute. Each round skips by the longest shift a pin needs; the last starts after all scheduled pins. */
export const findFreeStart = (slots: readonly Slot[], scheduled: readonly KnownPin[]): Date | null => {
  const [first] = slots;
  const last = scheduled.at(-1);
  if (!first || !last) return null;
  const byAccount = Map.groupBy(scheduled, ({ accountId }) => accountId);
  const busy = new Map([...byAccount].map(([id, own]) => [id, toBusySpans(own)]));
  const startMs = first.dueAt.getTime();
  let shiftMs = 0;
  for (let round = 0; round < FREE_START_ROUNDS_MAX; round += 1) {
    const shifts = slots.map(({ accountId, dueAt }) => {
      const at = dueAt.getTime() + shiftMs;
      return nextFreeTime(busy.get(accountId) ?? [], at) - at;
    });
    const longest = Math.max(...shifts);
    if (longest === 0) return addMs(first.dueAt, shiftMs);
    shiftMs = roundUpToMinute(startMs + shiftMs + longest) - startMs;
  }
  return new Date(roundUpToMinute(last.at.getTime() + CLASH_MS));
};

export interface Slot {
  id: string;
  accountId: AccountId;
  dueAt: Date;
}

const firstIndexFrom = (scheduled: readonly KnownPin[], at: number): number => {
  let [low, high] = [0, scheduled.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = (scheduled[middle]?.at.getTime() ?? 0) < at;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
};

const findClosest = ({ dueAt }: Slot, scheduled: readonly KnownPin[]): KnownPin | null => {
  const at = dueAt.getTime();
  const index = firstIndexFrom(scheduled, at);
  const [nearest] = [scheduled[index - 1], scheduled[index]]
    .flatMap((pin) => (pin ? { pin, gapMs: Math.abs(pin.at.getTime() - at) } : []))
    .filter(({ gapMs }) => gapMs < CLASH_MS)
    .toSorted((a, b) => a.gapMs - b.gapMs);
  return nearest?.pin ?? null;
};

/** By planned pin id, the closest scheduled pin within five minutes. `scheduled` is sorted by time. */
export const findClashes = (slots: readonly Slot[], scheduled: readonly KnownPin[]): Map<string, KnownPin> => {
  const byAccount = Map.groupBy(scheduled, ({ accountId }) => accountId);
  return new Map(
    slots.flatMap((slot) => {
      const pin = findClosest(slot, byAccount.get(slot.accountId) ?? []);
      return pin ? [[slot.id, pin] as const] : [];
    }),
  );
};
