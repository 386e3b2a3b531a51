import "server-only";
import { inArray } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { announceChecks, requestChecks } from "#lib/features/links/checks.ts";
import { checkBoards, claimSubmission, lockAccount } from "./guards.ts";
import { condemnImages } from "./images.ts";
import { findPostsById, findSubmission, type Post, type ShownAccount } from "./queries.ts";
import type { BulkPin, CreateBulkInput } from "./schema.ts";
import { type StoredPicture, storePictures } from "./uploads.ts";

/** Drafts in the order of the rows. `firstFrames`: numbers of pins (from 1) whose picture moved. */
export interface CreatedBulk {
  account: ShownAccount;
  pins: Post[];
  firstFrames: number[];
}

interface Bulk {
  accountId: OwnedAccountId;
  pins: BulkPin[];
  pictures: StoredPicture[];
}

/** Lists show the newest first: the first row counts as the newest. */
const toRows = (tx: Ctx, { accountId, pins: bulk, pictures }: Bulk) =>
  bulk.map(({ picture: _, ...texts }, index) => {
    const stored = pictures[index];
    if (!stored) throw new AppError("internal", { cause: new Error("A pin lost its picture.") });
    const createdAt = addMs(tx.now(), -index);
    const state = { source: "manual", status: "draft", createdAt, updatedAt: createdAt } as const;
    const { imageKey, likeness, placeholder } = stored;
    const owner = { id: tx.newId("pin"), userId: requireUserId(tx), accountId };
    return { ...texts, ...state, ...owner, keyword: null, imageKey, likeness, placeholder };
  });

const linksOf = (bulk: readonly BulkPin[]) => bulk.map(({ link }) => link);

/** Writes the drafts, all or none; their pictures are no orphans from then on. @returns the ids, in the rows' order. */
const writeDrafts = async (tx: Ctx, bulk: Bulk, submission: Submission | null): Promise<string[]> => {
  const user = await lockUser(tx, requireUserId(tx));
  if (!user || user.closedAt) throw new AppError("unauthenticated");
  await lockAccount(tx, bulk.accountId);
  const rows = toRows(tx, bulk);
  const ids = rows.map(({ id }) => id);
  const earlier = submission && (await claimSubmission(tx, { ...submission, pinIds: ids }));
  // The other one of a double click was quicker; the pictures of this one stay orphans.
  if (earlier) return earlier;
  await tx.db.insert(pins).values(rows);
  await requestChecks(tx, { links: linksOf(bulk.pins) });
  const keys = bulk.pictures.map(({ imageKey }) => imageKey);
  await tx.db.delete(orphanedImages).where(inArray(orphanedImages.key, keys));
  return ids;
};

interface Submission {
  key: string;
  digest: string;
}

const digestOfBulk = ({ accountId, pins: bulk }: CreateBulkInput): string =>
  sha256(JSON.stringify([accountId, bulk.map(({ picture, ...texts }) => [texts, picture.sha256])]));

const submissionOf = (input: CreateBulkInput): Submission | null =>
  input.idempotencyKey === null ? null : { key: input.idempotencyKey, digest: digestOfBulk(input) };

const makeDrafts = async (
  ctx: Ctx<"pictures" | "storage">,
  bulk: Omit<Bulk, "pictures">,
  submission: Submission | null,
) => {
  const pictures = await storePictures(ctx, { files: bulk.pins.map(({ picture }) => picture) });
  try {
    const ids = await inTransaction(ctx, (tx) => writeDrafts(tx, { ...bulk, pictures }, submission));
    return { ids, firstFrames: pictures.flatMap(({ isFirstFrame }, index) => (isFirstFrame ? [index + 1] : [])) };
  } catch (error) {
    await condemnImages(ctx, { imageKeys: pictures.map(({ imageKey }) => imageKey) });
    throw error;
  }
};

/**
 * Makes drafts from a person's own pictures, all or none, for no credits (R-BULK-01 to R-BULK-11, A-17). Pictures are
 * stored first and noted as orphans until the drafts are written, so that whoever dies in between leaves nothing for
 * ever. With an idempotency key the same pins sent again are answered, and not made again.
 * @throws AppError `invalid` with a sentence about the first pin that is wrong; `not_found` for an account that is not
 * the actor's, `reconnect_needed`; `wrong_state` for a key that other pins were sent under.
 */
export const createBulk = async (
  ctx: Ctx<"jobs" | "pictures" | "pinterest" | "storage">,
  input: CreateBulkInput,
): Promise<CreatedBulk> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  const { id: accountId } = account;
  const submission = submissionOf(input);
  const earlier = submission && (await findSubmission(ctx, submission));
  if (earlier) return { account, pins: await findPostsById(ctx, earlier), firstFrames: [] };
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  await checkBoards(ctx, { accountId, boardIds: input.pins.map(({ boardId }) => boardId), isOfRows: true });
  const { ids, firstFrames } = await makeDrafts(ctx, { accountId, pins: input.pins }, submission);
  await announceChecks(ctx, { links: linksOf(input.pins) });
  ctx.log.set({ drafts_made: ids.length });
  return { account, pins: await findPostsById(ctx, ids), firstFrames };
};
