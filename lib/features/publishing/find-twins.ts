import "server-only";
import { setImmediate } from "node:timers/promises";
import type { AccountId } from "#lib/core/ids.ts";
import { LIKENESS_WAVE_BITS, NEARLY_SAME_BITS, PLAIN_WAVES_MOST } from "#lib/core/likeness.ts";
import { KNOWN_IN_A_TURN, SOUGHT_IN_A_TURN } from "./constants.ts";
import type { KnownPin } from "./queries.ts";
import type { TwinBy } from "./schema.ts";

/** A pin of a plan with what it is compared by. */
export interface Candidate {
  id: string;
  accountId: AccountId;
  title: string;
  imageKey: string;
  likeness: string | null;
}

/** What a pin is nearly the same as. `pin`: null for an earlier one of the plan. */
export interface Twin {
  title: string;
  imageKey: string;
  by: TwinBy;
  pin: KnownPin | null;
}

/** A pin in the form that is compared: its likeness in two numbers of 32 bits, null without one. */
interface Compared {
  title: string;
  imageKey: string;
  words: string;
  /** Null as well where it tells this picture from no other. */
  likeness: { high: number; low: number } | null;
  pin: KnownPin | null;
}

/** What the pins of one account are found by. Bits stand in lists of their own: there may be millions of comparisons. */
interface Shelf {
  pictured: Compared[];
  highs: number[];
  lows: number[];
  firstByWords: Map<string, Compared>;
}

/** The same letters and digits make the same title. */
const wordsOf = (title: string): string =>
  title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** How many of 32 bits are set: pairs, then fours, then bytes are added up side by side. */
const bitCount = (value: number): number => {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

const TINT_BITS = 64 - LIKENESS_WAVE_BITS;

/** Plain pictures are left to their titles: by their likeness all of them would be nearly the same. */
const isTelling = (high: number, low: number): boolean =>
  bitCount(high) + bitCount(low >>> TINT_BITS) > PLAIN_WAVES_MOST;

const toCompared = ({ title, imageKey, likeness }: Candidate | KnownPin, pin: KnownPin | null): Compared => {
  const half = (from: number, to: number): number => Number.parseInt(likeness?.slice(from, to) ?? "0", 16) | 0;
  const [high, low] = [half(0, 8), half(8, 16)];
  return { title, imageKey, words: wordsOf(title), likeness: isTelling(high, low) ? { high, low } : null, pin };
};

const toTwin = ({ title, imageKey, pin }: Compared, by: TwinBy): Twin => ({ title, imageKey, by, pin });

const BOTH_FIRST = -100;

/** The nearest picture; one whose title agrees too comes before all others. */
const nearestPicture = (one: Compared, { pictured, highs, lows }: Shelf): Twin | null => {
  if (!one.likeness) return null;
  const { high, low } = one.likeness;
  let best: { twin: Twin; rank: number } | null = null;
  // By numbers alone: this loop runs millions of times.
  for (let at = 0; at < highs.length; at += 1) {
    const bits = bitCount(high ^ (highs[at] ?? 0)) + bitCount(low ^ (lows[at] ?? 0));
    const other = bits <= NEARLY_SAME_BITS ? pictured[at] : undefined;
    if (!other) continue;
    const hasSameWords = one.words !== "" && one.words === other.words;
    const rank = hasSameWords ? bits + BOTH_FIRST : bits;
    if (!best || rank < best.rank) best = { twin: toTwin(other, hasSameWords ? "both" : "picture"), rank };
  }
  return best?.twin ?? null;
};

const sameTitle = (one: Compared, { firstByWords }: Shelf): Twin | null => {
  const other = firstByWords.get(one.words);
  return other ? toTwin(other, "title") : null;
};

const putOn = ({ pictured, highs, lows, firstByWords }: Shelf, one: Compared): void => {
  if (one.likeness) {
    pictured.push(one);
    highs.push(one.likeness.high);
    lows.push(one.likeness.low);
  }
  if (one.words !== "" && !firstByWords.has(one.words)) firstByWords.set(one.words, one);
};

const createShelves = (): ((accountId: AccountId) => Shelf) => {
  const shelves = new Map<AccountId, Shelf>();
  return (accountId) => {
    const shelf = shelves.get(accountId) ?? { pictured: [], highs: [], lows: [], firstByWords: new Map() };
    shelves.set(accountId, shelf);
    return shelf;
  };
};

/** Works through a list and lets others have the thread each time that so many are done. */
const inTurns = async <T>(list: readonly T[], each: (one: T) => void, many: number): Promise<void> => {
  for (const [at, one] of list.entries()) {
    if (at % many === many - 1) await setImmediate();
    each(one);
  }
};

/**
 * By the id of a planned pin, what it is nearly the same as: a pin of its account that is known already, or one that
 * comes before it in the plan. Pictures are compared by their likeness, titles by their words. All in short turns: 500
 * pins beside 10,000 would hold everybody else up.
 */
export const findTwins = async (
  planned: readonly Candidate[],
  known: readonly KnownPin[],
): Promise<Map<string, Twin>> => {
  const shelfOf = createShelves();
  await inTurns(known, (pin) => putOn(shelfOf(pin.accountId), toCompared(pin, pin)), KNOWN_IN_A_TURN);
  const twins = new Map<string, Twin>();
  const seek = (candidate: Candidate) => {
    const [one, shelf] = [toCompared(candidate, null), shelfOf(candidate.accountId)];
    const twin = nearestPicture(one, shelf) ?? sameTitle(one, shelf);
    if (twin) twins.set(candidate.id, twin);
    putOn(shelf, one);
  };
  await inTurns(planned, seek, SOUGHT_IN_A_TURN);
  return twins;
};
