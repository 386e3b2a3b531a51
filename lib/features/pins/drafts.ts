import "server-only";
import { sql } from "drizzle-orm";
import { pinSlides, pinVideos } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { AccountId, PinId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { removeDigestEntries } from "#lib/features/notifications/digests.ts";
import { type PinFormat, TEXTS } from "./constants.ts";
import { checkPlaces, claimSubmission, lockPins, type Submission, submissionOf } from "./guards.ts";
import { isAtRest } from "./policy.ts";
import { findSlides, findSubmission, findVideos, type Pin, requireOwnedPin } from "./queries.ts";
import type { DuplicatePinsInput, PinIdsInput } from "./schema.ts";

/** A draft to create. Texts must be within Pinterest's limits and the image must be in storage as a JPEG. */
export interface NewDraft {
  userId: UserId;
  accountId: AccountId;
  boardId: string;
  boardSectionId?: string | null;
  source: "ai" | "manual";
  /** An image by default. The slides and videos of the others are written by the caller. */
  format?: PinFormat;
  title: string;
  description: string;
  altText: string;
  link: string | null;
  keyword: string | null;
  imageKey: string;
  /** `likeness` and `placeholder` come from `describeJpeg`; null when the image is missing. */
  likeness: string | null;
  placeholder: string | null;
}

/** Inserts a draft in the caller's transaction. The caller sends the link check events after the commit. */
export const createDraft = async (
  tx: Ctx,
  draft: NewDraft,
  slideLinks: readonly (string | null)[] = [],
): Promise<PinId> => {
  const id = tx.newId("pin");
  const now = tx.now();
  await tx.db.insert(pins).values({ ...draft, id, status: "draft", createdAt: now, updatedAt: now });
  await requestChecks(tx, { links: [draft.link, ...slideLinks] });
  return id;
};

/** All or none; restorable until `purgePins`. @throws AppError `not_found`; `wrong_state` if scheduled or published */
export const deleteDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds });
    if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notDeletable });
    await tx.db
      .update(pins)
      .set({ status: "deleted", deletedFrom: sql`${pins.status}`, deletedAt: tx.now(), updatedAt: tx.now() })
      .where(isAnyOf(pins.id, pinIds));
    // No email about failures that the user has seen and deleted.
    await removeDigestEntries(tx, { userIds: [requireUserId(ctx)], kind: "pins_failed", about: pinIds });
    tx.log.set({ pins_touched: locked.length });
  });

/** Restores deleted pins, all or none. @throws AppError `not_found` when one is not deleted or was purged */
export const restoreDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds, isDeleted: true });
    await tx.db
      .update(pins)
      .set({ status: sql`${pins.deletedFrom}`, deletedFrom: null, deletedAt: null, updatedAt: tx.now() })
      .where(isAnyOf(pins.id, pinIds));
    tx.log.set({ pins_touched: locked.length });
  });

/** A copy shares the image of its original; an image is deleted only when no pin uses it. */
const contentOf = (pin: Pin) => ({
  userId: pin.userId,
  accountId: pin.accountId,
  source: pin.source,
  format: pin.format,
  title: pin.title,
  description: pin.description,
  altText: pin.altText,
  link: pin.link,
  keyword: pin.keyword,
  imageKey: pin.imageKey,
  baseImageKey: pin.baseImageKey,
  template: pin.template,
  placeholder: pin.placeholder,
  likeness: pin.likeness,
});

const toCopies = (tx: Ctx, originals: readonly Pin[], boardIds: readonly string[]) => {
  const pairs = originals.flatMap((pin) => boardIds.map((boardId) => ({ pin, boardId })));
  return pairs.map(({ pin, boardId }, index) => {
    // Lists show the newest pin first, so the first copy gets the latest time.
    const createdAt = addMs(tx.now(), -index);
    const state = { status: "draft", createdAt, updatedAt: createdAt } as const;
    return { ...contentOf(pin), ...state, id: tx.newId("pin"), boardId, originalId: pin.id };
  });
};

interface WrittenCopies {
  ids: string[];
  /** To be checked; none when the copies were written before. */
  links: (string | null)[];
}

/** Copies keep the format of their original and share its files. @returns the links of their slides */
const writeFormats = async (tx: Ctx, copies: ReturnType<typeof toCopies>): Promise<(string | null)[]> => {
  const originals = [...new Set(copies.map(({ originalId }) => originalId))];
  const slides = Map.groupBy(await findSlides(tx, originals), ({ pinId }) => pinId);
  const videos = Map.groupBy(await findVideos(tx, originals), ({ pinId }) => pinId);
  const copied = <R>(rows: ReadonlyMap<string, R[]>): R[] =>
    copies.flatMap(({ id, originalId }) => (rows.get(originalId) ?? []).map((row) => ({ ...row, pinId: id })));
  const [newSlides, newVideos] = [copied(slides), copied(videos)];
  if (newSlides.length > 0) await tx.db.insert(pinSlides).values(newSlides);
  if (newVideos.length > 0) await tx.db.insert(pinVideos).values(newVideos);
  return newSlides.map(({ link }) => link);
};

const writeCopies = async (
  tx: Ctx,
  copies: ReturnType<typeof toCopies>,
  submission: Submission | null,
): Promise<WrittenCopies> => {
  const ids = copies.map(({ id }) => id);
  const earlier = submission && (await claimSubmission(tx, { ...submission, pinIds: ids }));
  if (earlier) return { ids: earlier, links: [] };
  await tx.db.insert(pins).values(copies.map(({ originalId: _, ...copy }) => copy));
  const links = [...copies.map(({ link }) => link), ...(await writeFormats(tx, copies))];
  await requestChecks(tx, { links });
  tx.log.set({ drafts_made: copies.length });
  return { ids, links };
};

/**
 * All or none, free, once per key. @returns the drafts' ids, pin by pin.
 * @throws AppError `not_found`, `invalid`, `reconnect_needed`, or `wrong_state` for a key used with other content
 */
export const duplicatePins = async (
  ctx: Ctx<"jobs" | "pinterest">,
  input: DuplicatePinsInput,
): Promise<{ ids: PinId[] }> => {
  const { pinIds, boardIds } = input;
  const submission = submissionOf(input.idempotencyKey, ["copies", pinIds, boardIds]);
  const earlier = submission && (await findSubmission(ctx, submission));
  if (earlier) return { ids: earlier as PinId[] };
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  const places = boardIds.map((boardId) => ({ boardId, boardSectionId: null }));
  await checkPlaces(ctx, { accountId: pin.accountId, places });
  const made = await inTransaction(ctx, async (tx) => {
    const originals = await lockPins(tx, { pinIds });
    if (originals.some(({ accountId }) => accountId !== pin.accountId)) {
      throw new AppError("invalid", { text: TEXTS.accountsDiffer });
    }
    return writeCopies(tx, toCopies(tx, originals, boardIds), submission);
  });
  await sendCheckEvents(ctx, { links: made.links });
  return { ids: made.ids as PinId[] };
};
