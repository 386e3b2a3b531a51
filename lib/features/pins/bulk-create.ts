import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { checkPlaces, claimSubmission, lockAccount, type Submission, submissionOf } from "./guards.ts";
import { markImagesForDeletion } from "./images.ts";
import { type AccountSummary, findPinsById, findSubmission, type ListedPin } from "./queries.ts";
import type { BulkPin, CreateBulkInput } from "./schema.ts";
import { type StoredImage, storeImages } from "./uploads.ts";

export interface CreatedBulk {
  account: AccountSummary;
  pins: ListedPin[];
  firstFrames: number[];
}

interface Bulk {
  accountId: OwnedAccountId;
  pins: BulkPin[];
  images: StoredImage[];
}

const toRows = (tx: Ctx, { accountId, pins: bulk, images }: Bulk) =>
  bulk.map(({ image: _, ...texts }, index) => {
    const stored = images[index];
    if (!stored) throw new AppError("internal", { cause: new Error("A pin has no stored image.") });
    const createdAt = addMs(tx.now(), -index);
    const state = { source: "manual", status: "draft", createdAt, updatedAt: createdAt } as const;
    const { imageKey, likeness, placeholder } = stored;
    const owner = { id: tx.newId("pin"), userId: requireUserId(tx), accountId };
    return { ...texts, ...state, ...owner, keyword: null, imageKey, likeness, placeholder };
  });

const linksOf = (bulk: readonly BulkPin[]) => bulk.map(({ link }) => link);

const writeDrafts = async (tx: Ctx, bulk: Bulk, submission: Submission | null): Promise<string[]> => {
  const user = await lockUser(tx, requireUserId(tx));
  if (!user || user.closedAt) throw new AppError("unauthenticated");
  await lockAccount(tx, bulk.accountId);
  const rows = toRows(tx, bulk);
  const ids = rows.map(({ id }) => id);
  const earlier = submission && (await claimSubmission(tx, { ...submission, pinIds: ids }));
  // A concurrent request with this key was first; the images of this one stay unused.
  if (earlier) return earlier;
  await tx.db.insert(pins).values(rows);
  await requestChecks(tx, { links: linksOf(bulk.pins) });
  const keys = bulk.images.map(({ imageKey }) => imageKey);
  await tx.db.delete(orphanedImages).where(isAnyOf(orphanedImages.key, keys));
  return ids;
};

const contentOfBulk = ({ accountId, pins: bulk }: CreateBulkInput) => [
  accountId,
  bulk.map(({ image, ...texts }) => [texts, image.sha256]),
];

const makeDrafts = async (
  ctx: Ctx<"images" | "storage">,
  bulk: Omit<Bulk, "images">,
  submission: Submission | null,
) => {
  const images = await storeImages(ctx, { files: bulk.pins.map(({ image }) => image) });
  try {
    const ids = await inTransaction(ctx, (tx) => writeDrafts(tx, { ...bulk, images }, submission));
    return { ids, firstFrames: images.flatMap(({ isFirstFrame }, index) => (isFirstFrame ? [index + 1] : [])) };
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: images.map(({ imageKey }) => imageKey) });
    throw error;
  }
};

/**
 * All or none, free; a repeated key returns the same drafts. @throws AppError `invalid`, `not_found`,
 * `reconnect_needed`, or `wrong_state` for a key used with other content
 */
export const createBulk = async (
  ctx: Ctx<"jobs" | "images" | "pinterest" | "storage">,
  input: CreateBulkInput,
): Promise<CreatedBulk> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  const { id: accountId } = account;
  const submission = submissionOf(input.idempotencyKey, contentOfBulk(input));
  const earlier = submission && (await findSubmission(ctx, submission));
  if (earlier) return { account, pins: await findPinsById(ctx, earlier), firstFrames: [] };
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  await checkPlaces(ctx, { accountId, places: input.pins, isPerRow: true });
  const { ids, firstFrames } = await makeDrafts(ctx, { accountId, pins: input.pins }, submission);
  await sendCheckEvents(ctx, { links: linksOf(input.pins) });
  ctx.log.set({ drafts_made: ids.length });
  return { account, pins: await findPinsById(ctx, ids), firstFrames };
};
