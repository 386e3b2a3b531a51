import "server-only";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { CLASH_MS, FREE_START_ROUNDS_MAX } from "./constants.ts";
import type { Slot } from "./find-clashes.ts";
import type { KnownPin } from "./queries.ts";

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
