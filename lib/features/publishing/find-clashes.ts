import "server-only";
import type { AccountId } from "#lib/core/ids.ts";
import { CLASH_MS } from "./constants.ts";
import type { KnownPin } from "./queries.ts";

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
