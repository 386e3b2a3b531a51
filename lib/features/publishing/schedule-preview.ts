import "server-only";
import { setImmediate } from "node:timers/promises";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { LIKENESS_WAVE_BITS, NEARLY_SAME_BITS, PLAIN_WAVES_MOST } from "#lib/core/images.ts";
import { addMs } from "#lib/core/time.ts";
import {
  KNOWN_IN_A_TURN,
  KNOWN_PINS_MAX,
  SOUGHT_IN_A_TURN,
  START_MAX_AHEAD_MS,
  TEXTS,
  TWIN_WINDOW_MS,
} from "./constants.ts";
import { findClashes, findFreeStart, planStart, type Slot } from "./free-times.ts";
import { planSlots } from "./policy.ts";
import { findOwnPins, findPublished, findWaiting, type KnownPin, type PlannedPin } from "./queries.ts";
import type { PreviewWire, ScheduleBatchInput, TwinBy } from "./schema.ts";
import { toPreview } from "./serializers.ts";

/** The caller's drafts in the order given. @throws AppError as scheduling them would. */
const requireDrafts = async (ctx: Ctx, pinIds: readonly string[]): Promise<PlannedPin[]> => {
  const found = await findOwnPins(ctx, pinIds);
  const own = new Map<string, PlannedPin>(found.map((pin) => [pin.id, pin]));
  const planned = pinIds.flatMap((id) => own.get(id) ?? []);
  if (planned.length < pinIds.length) throw new AppError("not_found");
  if (planned.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
  return planned;
};

/** None where the plan would reach beyond what was read, or begin too far ahead. */
const freeStartOf = (slots: readonly Slot[], waiting: readonly KnownPin[], now: Date): Date | null => {
  const start = findFreeStart(slots, waiting);
  const [first, last, lastRead] = [slots[0], slots.at(-1), waiting.at(-1)];
  if (!start || !first || !last || start > addMs(now, START_MAX_AHEAD_MS)) return null;
  const ends = addMs(last.dueAt, start.getTime() - first.dueAt.getTime());
  return waiting.length < KNOWN_PINS_MAX || (lastRead && ends < lastRead.at) ? start : null;
};

/**
 * What scheduling drafts like this would mean: each pin's time, scheduled pins of the account that are closer than five
 * minutes with a later start that is clear of them, and what is nearly the same as a pin of the last 90 days or an
 * earlier one of the plan. Changes nothing; bounded whatever the account holds.
 * @throws AppError as `scheduleBatch` would: `not_found`, `wrong_state`, `invalid`.
 */
export const previewSchedule = async (ctx: Ctx, input: ScheduleBatchInput): Promise<PreviewWire> => {
  const now = await databaseTime(ctx);
  const start = planStart(input.start, now);
  const planned = await requireDrafts(ctx, input.pinIds);
  const accountIds = [...new Set(planned.map(({ accountId }) => accountId))];
  const [waiting, published] = await Promise.all([
    findWaiting(ctx, accountIds),
    findPublished(ctx, { accountIds, since: addMs(now, -TWIN_WINDOW_MS) }),
  ]);
  const slots = planSlots(planned, start, input.intervalMinutes).map(({ id: pin, dueAt }) => ({ ...pin, dueAt }));
  const clashes = findClashes(slots, waiting);
  const twins = await findTwins(planned, [...waiting, ...published]);
  return toPreview({
    start,
    slots,
    clashes,
    twins,
    freeStart: clashes.size > 0 ? freeStartOf(slots, waiting, now) : null,
  });
};

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
