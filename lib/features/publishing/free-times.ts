import "server-only";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { CLASH_MS, FREE_START_ROUNDS_MAX, START_MAX_AHEAD_MS, START_PASSED_MS, TEXTS } from "./constants.ts";
import type { KnownPin } from "./queries.ts";

/**
 * When the first pin of a batch goes out: at once, or at the time that was asked for. One that has just passed,
 * while somebody pressed the button, means at once.
 * @throws AppError `invalid` when it passed longer ago, or lies more than a year ahead.
 */
export const planStart = (asked: Date | null, now: Date): Date => {
  if (!asked) return now;
  if (asked < addMs(now, -START_PASSED_MS)) throw new AppError("invalid", { text: TEXTS.timePassed });
  if (asked > addMs(now, START_MAX_AHEAD_MS)) throw new AppError("invalid", { text: TEXTS.startInvalid });
  return asked < now ? now : asked;
};

/** A time in which an account's next pin would come too close to another; its ends are free. Milliseconds. */
type Span = { from: number; to: number };

/** Spans around scheduled pins, apart from one another and in order. `waiting` is sorted by time. */
const toSpans = (waiting: readonly KnownPin[]): Span[] => {
  const spans: Span[] = [];
  for (const { at } of waiting) {
    const span = { from: at.getTime() - CLASH_MS, to: at.getTime() + CLASH_MS };
    const last = spans.at(-1);
    if (last && span.from < last.to) last.to = span.to;
    else spans.push(span);
  }
  return spans;
};

/** The next moment from this one on that lies in no span. */
const freeFrom = (spans: readonly Span[], at: number): number => {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  return span && span.from < at ? span.to : at;
};

const toMinute = (at: number): number => Math.ceil(at / MINUTE_MS) * MINUTE_MS;

/**
 * The nearest later start, at a full minute, from which no pin of the plan comes closer than five minutes to another of
 * its account. Every shift up to the longest wait of a single pin is ruled out by that pin, so the search leaps. Where it
 * leaps too often, the plan goes behind everything that is scheduled.
 */
export const findFreeStart = (slots: readonly Slot[], waiting: readonly KnownPin[]): Date | null => {
  const [first] = slots;
  const last = waiting.at(-1);
  if (!first || !last) return null;
  const byAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  const spans = new Map([...byAccount].map(([id, own]) => [id, toSpans(own)]));
  const startMs = first.dueAt.getTime();
  let shiftMs = 0;
  for (let round = 0; round < FREE_START_ROUNDS_MAX; round += 1) {
    const waits = slots.map(({ accountId, dueAt }) => {
      const at = dueAt.getTime() + shiftMs;
      return freeFrom(spans.get(accountId) ?? [], at) - at;
    });
    const longest = Math.max(...waits);
    if (longest === 0) return addMs(first.dueAt, shiftMs);
    shiftMs = toMinute(startMs + shiftMs + longest) - startMs;
  }
  return new Date(toMinute(last.at.getTime() + CLASH_MS));
};

/** A pin's turn in a plan. */
export interface Slot {
  id: string;
  accountId: AccountId;
  dueAt: Date;
}

/** Where in pins that are sorted by time the first one stands that is not before a moment. */
const placeOf = (waiting: readonly KnownPin[], at: number): number => {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = (waiting[middle]?.at.getTime() ?? 0) < at;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
};

const closest = ({ dueAt }: Slot, waiting: readonly KnownPin[]): KnownPin | null => {
  const at = dueAt.getTime();
  const place = placeOf(waiting, at);
  const [nearest] = [waiting[place - 1], waiting[place]]
    .flatMap((pin) => (pin ? { pin, gapMs: Math.abs(pin.at.getTime() - at) } : []))
    .filter(({ gapMs }) => gapMs < CLASH_MS)
    .toSorted((a, b) => a.gapMs - b.gapMs);
  return nearest?.pin ?? null;
};

/**
 * By the id of a planned pin, the scheduled pin of its account that goes out closest to it, where that is closer than
 * five minutes. `waiting`: the accounts' scheduled pins by time.
 */
export const findClashes = (slots: readonly Slot[], waiting: readonly KnownPin[]): Map<string, KnownPin> => {
  const byAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  return new Map(
    slots.flatMap((slot) => {
      const pin = closest(slot, byAccount.get(slot.accountId) ?? []);
      return pin ? [[slot.id, pin] as const] : [];
    }),
  );
};
