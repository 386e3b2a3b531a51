import "server-only";
import { setImmediate } from "node:timers/promises";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import {
  CANDIDATES_PER_TURN,
  DUPLICATE_WINDOW_MS,
  KNOWN_PINS_MAX,
  KNOWN_PINS_PER_TURN,
  START_MAX_AHEAD_MS,
  TEXTS,
} from "./constants.ts";
import { findClashes, findFreeStart, planStart, type Slot } from "./free-times.ts";
import { createLikenessIndex, type Fingerprint, fingerprintOf, type LikenessIndex } from "./likeness.ts";
import { planSlots } from "./policy.ts";
import {
  findConnectionEnds,
  findOwnPins,
  findPublished,
  findScheduled,
  type KnownPin,
  type PlannedPin,
} from "./queries.ts";
import type { DuplicateBy, PreviewWire, ScheduleBatchInput } from "./schema.ts";
import { toPreview } from "./serializers.ts";

/** The user's drafts in the given order. @throws AppError as scheduling them would. */
export const requireDrafts = async (ctx: Ctx, pinIds: readonly string[]): Promise<PlannedPin[]> => {
  const found = await findOwnPins(ctx, pinIds);
  const own = new Map<string, PlannedPin>(found.map((pin) => [pin.id, pin]));
  const planned = pinIds.flatMap((id) => own.get(id) ?? []);
  if (planned.length < pinIds.length) throw new AppError("not_found");
  if (planned.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
  return planned;
};

/** Null when the plan would reach beyond the pins that were read, or start too far ahead. */
const freeStartOf = (slots: readonly Slot[], scheduled: readonly KnownPin[], now: Date): Date | null => {
  const start = findFreeStart(slots, scheduled);
  const [first, last, lastRead] = [slots[0], slots.at(-1), scheduled.at(-1)];
  if (!start || !first || !last || start > addMs(now, START_MAX_AHEAD_MS)) return null;
  const ends = addMs(last.dueAt, start.getTime() - first.dueAt.getTime());
  return scheduled.length < KNOWN_PINS_MAX || (lastRead && ends < lastRead.at) ? start : null;
};

/** The earliest end of a connection whose account has a slot after it. */
export const renewalDueOf = (
  slots: readonly Pick<Slot, "accountId" | "dueAt">[],
  ends: ReadonlyMap<string, Date>,
): Date | null => {
  const passed = slots.flatMap(({ accountId, dueAt }) => {
    const endsAt = ends.get(accountId);
    return endsAt && dueAt > endsAt ? [endsAt.getTime()] : [];
  });
  return passed.length > 0 ? new Date(Math.min(...passed)) : null;
};

/** Changes nothing. @throws AppError as `scheduleBatch` */
export const previewSchedule = async (ctx: Ctx, input: ScheduleBatchInput): Promise<PreviewWire> => {
  const now = await databaseTime(ctx);
  const start = planStart(input.start, now);
  const planned = await requireDrafts(ctx, input.pinIds);
  const accountIds = [...new Set(planned.map(({ accountId }) => accountId))];
  const [scheduled, published, ends] = await Promise.all([
    findScheduled(ctx, accountIds),
    findPublished(ctx, { accountIds, since: addMs(now, -DUPLICATE_WINDOW_MS) }),
    findConnectionEnds(ctx, accountIds),
  ]);
  const slots = planSlots(planned, start, input.intervalMinutes).map(({ id: pin, dueAt }) => ({ ...pin, dueAt }));
  const clashes = findClashes(slots, scheduled);
  const duplicates = await findDuplicates(planned, [...scheduled, ...published]);
  const freeStart = clashes.size > 0 ? freeStartOf(slots, scheduled, now) : null;
  return toPreview({ start, slots, clashes, duplicates, freeStart, renewalDue: renewalDueOf(slots, ends) }, ctx);
};

export interface Candidate {
  id: string;
  accountId: AccountId;
  title: string;
  imageKey: string;
  likeness: string | null;
}

/** What a pin duplicates. `pin`: null for an earlier pin of the plan. */
export interface Duplicate {
  title: string;
  imageKey: string;
  by: DuplicateBy;
  pin: KnownPin | null;
}

interface Compared {
  title: string;
  imageKey: string;
  print: Fingerprint;
  pin: KnownPin | null;
}

const toCompared = ({ title, imageKey, likeness }: Candidate | KnownPin, pin: KnownPin | null): Compared => ({
  title,
  imageKey,
  print: fingerprintOf({ title, likeness }),
  pin,
});

const toDuplicate = ({ title, imageKey, pin }: Compared, by: DuplicateBy): Duplicate => ({ title, imageKey, by, pin });

const SAME_TITLE_BONUS = -100;

/** The closest image; one whose title matches too comes first. */
const nearestImage = ({ print }: Compared, index: LikenessIndex<Compared>): Duplicate | null => {
  let best: { duplicate: Duplicate; rank: number } | null = null as { duplicate: Duplicate; rank: number } | null;
  index.forEachNearImage(print, (match, bits) => {
    const hasSameTitle = print.titleKey !== "" && print.titleKey === match.print.titleKey;
    const rank = hasSameTitle ? bits + SAME_TITLE_BONUS : bits;
    if (!best || rank < best.rank) best = { duplicate: toDuplicate(match, hasSameTitle ? "both" : "image"), rank };
  });
  return best?.duplicate ?? null;
};

const sameTitle = ({ print }: Compared, index: LikenessIndex<Compared>): Duplicate | null => {
  const [match] = index.sameTitle(print);
  return match ? toDuplicate(match, "title") : null;
};

const createIndexes = (): ((accountId: AccountId) => LikenessIndex<Compared>) => {
  const indexes = new Map<AccountId, LikenessIndex<Compared>>();
  return (accountId) => {
    const index = indexes.get(accountId) ?? createLikenessIndex<Compared>();
    indexes.set(accountId, index);
    return index;
  };
};

const forEachInTurns = async <T>(list: readonly T[], work: (item: T) => void, turnSize: number): Promise<void> => {
  for (const [at, item] of list.entries()) {
    if (at % turnSize === turnSize - 1) await setImmediate();
    work(item);
  }
};

/** Runs in short turns: 500 pins against 10,000 would block the process. */
export const findDuplicates = async (
  planned: readonly Candidate[],
  known: readonly KnownPin[],
): Promise<Map<string, Duplicate>> => {
  const indexOf = createIndexes();
  const addTo = (index: LikenessIndex<Compared>, pin: Compared) => index.add(pin, pin.print);
  await forEachInTurns(known, (pin) => addTo(indexOf(pin.accountId), toCompared(pin, pin)), KNOWN_PINS_PER_TURN);
  const duplicates = new Map<string, Duplicate>();
  const findDuplicate = (candidate: Candidate) => {
    const [pin, index] = [toCompared(candidate, null), indexOf(candidate.accountId)];
    const duplicate = nearestImage(pin, index) ?? sameTitle(pin, index);
    if (duplicate) duplicates.set(candidate.id, duplicate);
    addTo(index, pin);
  };
  await forEachInTurns(planned, findDuplicate, CANDIDATES_PER_TURN);
  return duplicates;
};
