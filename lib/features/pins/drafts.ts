import "server-only";
import { inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { AccountId, PinId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { announceChecks, requestChecks } from "#lib/features/links/checks.ts";
import { dropEntries } from "#lib/features/notifications/digests.ts";
import { TEXTS } from "./constants.ts";
import { checkBoards, claimSubmission, lockPins } from "./guards.ts";
import { isAtRest } from "./policy.ts";
import { findSubmission, type Pin, requireOwnedPin } from "./queries.ts";
import type { DuplicatePinsInput, PinIdsInput } from "./schema.ts";

/** A pin to be. Texts keep Pinterest's limits already; the picture lies in the storage as a JPEG. */
export interface NewDraft {
  userId: UserId;
  accountId: AccountId;
  boardId: string;
  source: "ai" | "manual";
  title: string;
  description: string;
  altText: string;
  link: string | null;
  keyword: string | null;
  imageKey: string;
  /** How the picture looks, as `describePicture` says; null when the picture is gone. */
  likeness: string | null;
  placeholder: string | null;
}

/**
 * Writes a draft and asks for a check of its link (R-TRK-15). Belongs into the caller's transaction, which sees to it
 * that it happens once; afterwards the caller has the check announced.
 */
export const createDraft = async (tx: Ctx, draft: NewDraft): Promise<PinId> => {
  const id = tx.newId("pin");
  const now = tx.now();
  await tx.db.insert(pins).values({ ...draft, id, status: "draft", createdAt: now, updatedAt: now });
  await requestChecks(tx, { links: [draft.link] });
  return id;
};

/**
 * Deletes drafts and failed pins, all of them or none. They are gone for everybody at once, and can be brought back
 * until they are swept (`restoreDrafts`, `retirePins`). What is on Pinterest already stays there.
 * @throws AppError `not_found`; `wrong_state` when one is scheduled or published.
 */
export const deleteDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds });
    if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notDeletable });
    await tx.db
      .update(pins)
      .set({ status: "deleted", deletedFrom: sql`${pins.status}`, deletedAt: tx.now(), updatedAt: tx.now() })
      .where(inArray(pins.id, [...pinIds]));
    // Nobody is told of what they have seen and thrown away.
    await dropEntries(tx, { userIds: [requireUserId(ctx)], kind: "pins_failed", about: pinIds });
    tx.log.set({ pins_touched: locked.length });
  });

/**
 * Brings deleted pins back as they were, all of them or none: the undoing of `deleteDrafts`.
 * @throws AppError `not_found` when one is not deleted, or was swept already.
 */
export const restoreDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds, isDeleted: true });
    await tx.db
      .update(pins)
      .set({ status: sql`${pins.deletedFrom}`, deletedFrom: null, deletedAt: null, updatedAt: tx.now() })
      .where(inArray(pins.id, [...pinIds]));
    tx.log.set({ pins_touched: locked.length });
  });

/** What a copy has from its original; the picture is the same one, and stays while any pin has it. */
const contentOf = (pin: Pin) => ({
  userId: pin.userId,
  accountId: pin.accountId,
  source: pin.source,
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
    // Lists show the newest first: the first copy counts as the newest.
    const createdAt = addMs(tx.now(), -index);
    const state = { status: "draft", createdAt, updatedAt: createdAt } as const;
    return { ...contentOf(pin), ...state, id: tx.newId("pin"), boardId };
  });
};

interface Submission {
  key: string;
  digest: string;
}

const submissionOf = ({ idempotencyKey, pinIds, boardIds }: DuplicatePinsInput): Submission | null =>
  idempotencyKey === undefined
    ? null
    : { key: idempotencyKey, digest: sha256(JSON.stringify(["copies", pinIds, boardIds])) };

/** Writes the copies; belongs into a transaction. @returns their ids, or those that were made before under the key. */
const writeCopies = async (
  tx: Ctx,
  copies: ReturnType<typeof toCopies>,
  sent: Submission | null,
): Promise<string[]> => {
  const ids = copies.map(({ id }) => id);
  const earlier = sent && (await claimSubmission(tx, { ...sent, pinIds: ids }));
  if (earlier) return earlier;
  await tx.db.insert(pins).values(copies);
  await requestChecks(tx, { links: copies.map(({ link }) => link) });
  tx.log.set({ drafts_made: copies.length });
  return ids;
};

/**
 * Makes a draft of each of these pins, in whatever state they are, for each of these boards, for no credits: all of
 * them or none, and once for each idempotency key. @returns the ids of the drafts, pin by pin in the order asked.
 * @throws AppError `not_found`; `invalid` for a board that is not one of the account's, or pins of several accounts;
 * `reconnect_needed`; `wrong_state` for a key that something else was sent under.
 */
export const duplicatePins = async (
  ctx: Ctx<"jobs" | "pinterest">,
  input: DuplicatePinsInput,
): Promise<{ ids: PinId[] }> => {
  const { pinIds, boardIds } = input;
  const sent = submissionOf(input);
  const earlier = sent && (await findSubmission(ctx, sent));
  // What a submission made are ids of ours.
  if (earlier) return { ids: earlier as PinId[] };
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  await checkBoards(ctx, { accountId: pin.accountId, boardIds });
  const made = await inTransaction(ctx, async (tx) => {
    const originals = await lockPins(tx, { pinIds });
    if (originals.some(({ accountId }) => accountId !== pin.accountId)) {
      throw new AppError("invalid", { text: TEXTS.accountsDiffer });
    }
    const copies = toCopies(tx, originals, boardIds);
    return { ids: await writeCopies(tx, copies, sent), links: copies.map(({ link }) => link) };
  });
  await announceChecks(ctx, { links: made.links });
  return { ids: made.ids as PinId[] };
};
