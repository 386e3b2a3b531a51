import "server-only";
import { pinSlides, pinVideos } from "#db/schema/formats.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { sendCheckEvents } from "#lib/features/links/checks.ts";
import type { PinFormat } from "#lib/features/pins/constants.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { checkPlaces, claimSubmission, lockAccount, type Submission, submissionOf } from "#lib/features/pins/guards.ts";
import { markImagesForDeletion } from "#lib/features/pins/images.ts";
import { type AccountSummary, findPinsById, findSubmission, type ListedPin } from "#lib/features/pins/queries.ts";
import { saveFile, saveObject } from "#lib/features/pins/storage-outages.ts";
import { type FileName, type StoredImage, storeImages } from "#lib/features/pins/uploads.ts";
import { COVER_PART, slidePart, TEXTS, VIDEO_PART, VIDEO_PROBLEMS } from "./constants.ts";
import type { CreateCarouselInput, CreateVideoInput, NewPinTexts } from "./schema.ts";
import { inspectVideo, type VideoFacts } from "./video-files.ts";
import { requireVideoSpace } from "./video-space.ts";

type CreateCtx = Ctx<"images" | "jobs" | "pinterest" | "storage">;

export interface CreatedPin {
  account: AccountSummary;
  pin: ListedPin;
  message: string;
}

/** Objects in storage, recorded as unused, and what makes a pin of them. */
interface Stored {
  keys: string[];
  image: StoredImage;
  slideLinks: (string | null)[];
  write(tx: Ctx, pinId: PinId): Promise<unknown>;
}

interface Creation {
  accountId: string;
  pin: NewPinTexts;
  format: Exclude<PinFormat, "image">;
  idempotencyKey: string | null;
  /** What makes two requests the same, besides the texts of the pin. */
  content: unknown;
  message: string;
  store(): Promise<Stored>;
}

interface Draft extends Pick<Creation, "pin" | "format"> {
  accountId: OwnedAccountId;
  stored: Stored;
}

const writeDraft = async (tx: Ctx, draft: Draft, submission: Submission | null): Promise<string> => {
  const { accountId, pin, format, stored } = draft;
  const userId = requireUserId(tx);
  const user = await lockUser(tx, userId);
  if (!user || user.closedAt) throw new AppError("unauthenticated");
  await lockAccount(tx, accountId);
  const { imageKey, likeness, placeholder } = stored.image;
  const owner = { userId, accountId, source: "manual", keyword: null } as const;
  const values = { ...pin, ...owner, format, imageKey, likeness, placeholder };
  const pinId = await createDraft(tx, values, stored.slideLinks);
  const earlier = submission && (await claimSubmission(tx, { ...submission, pinIds: [pinId] }));
  // A concurrent request with this key was first: roll back, and the objects of this one stay unused.
  if (earlier) throw new AppError("write_in_progress", { text: TEXTS.beingCreated, retryAfterSeconds: 1 });
  await stored.write(tx, pinId);
  await tx.db.delete(orphanedImages).where(isAnyOf(orphanedImages.key, stored.keys));
  return pinId;
};

const findEarlier = async (ctx: Ctx, submission: Submission | null): Promise<ListedPin | null> => {
  const ids = submission && (await findSubmission(ctx, submission));
  return ids ? ((await findPinsById(ctx, ids))[0] ?? null) : null;
};

const createPin = async (ctx: CreateCtx, creation: Creation): Promise<CreatedPin> => {
  const { pin, format, message, accountId, content } = creation;
  const account = await requireOwnedAccount(ctx, accountId);
  const submission = submissionOf(creation.idempotencyKey, [format, accountId, pin, content]);
  const earlier = await findEarlier(ctx, submission);
  if (earlier) return { account, pin: earlier, message };
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  await checkPlaces(ctx, { accountId: account.id, places: [pin] });
  const stored = await creation.store();
  try {
    const draft = { accountId: account.id, pin, format, stored };
    const id = await inTransaction(ctx, (tx) => writeDraft(tx, draft, submission));
    await sendCheckEvents(ctx, { links: [pin.link, ...stored.slideLinks] });
    ctx.log.set({ drafts_made: 1 });
    const [made] = await findPinsById(ctx, [id]);
    if (!made) throw new AppError("not_found");
    return { account, pin: made, message };
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: stored.keys });
    const first = await findEarlier(ctx, submission);
    if (first) return { account, pin: first, message };
    throw error;
  }
};

const newVideoKey = ({ contentType }: VideoFacts): string =>
  `videos/${sha256(randomToken()).slice(0, 40)}.${contentType === "video/mp4" ? "mp4" : "mov"}`;

const refuse = (part: string, text: string): AppError => new AppError("invalid", { text, fields: { [part]: [text] } });

const coverName: FileName = () => ({ part: COVER_PART, prefix: "Cover: " });

const storeVideo = async (ctx: CreateCtx, { video, cover }: CreateVideoInput): Promise<Stored> => {
  const inspected = await inspectVideo(video.path);
  if (inspected.kind === "refused") throw refuse(VIDEO_PART, VIDEO_PROBLEMS[inspected.fault]);
  const { contentType, durationMs } = inspected;
  await requireVideoSpace(ctx, video);
  const [image] = await storeImages(ctx, { files: [cover], nameOf: coverName });
  if (!image) throw new AppError("internal", { cause: new Error("The cover was not stored.") });
  const videoKey = newVideoKey(inspected);
  const keys = [image.imageKey, videoKey];
  await ctx.db.insert(orphanedImages).values({ key: videoKey, since: ctx.now() });
  try {
    await saveFile(ctx, videoKey, video.path);
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: keys });
    throw error;
  }
  const row = { videoKey, contentType, durationMs, bytes: video.bytes };
  const write = async (tx: Ctx, pinId: PinId) => {
    // Again under the user's lock: others may have been created since.
    await requireVideoSpace(tx, row);
    await tx.db.insert(pinVideos).values({ ...row, pinId });
  };
  return { keys, image, slideLinks: [], write };
};

/**
 * A draft of a video pin, free; a repeated key returns the same one. @throws AppError `invalid`, `not_found`,
 * `reconnect_needed`, or `wrong_state` for a key used with other content or without space
 */
export const createVideoPin = (ctx: CreateCtx, input: CreateVideoInput): Promise<CreatedPin> =>
  createPin(ctx, {
    ...{ accountId: input.accountId, pin: input.pin, idempotencyKey: input.idempotencyKey },
    ...{ format: "video", content: [input.video.sha256, input.cover.sha256], message: TEXTS.videoCreated },
    store: () => storeVideo(ctx, input),
  });

const slideName: FileName = (index) => ({ part: slidePart(index), prefix: `Slide ${index + 1}: ` });

/** Images that the fitting changed replace the stored ones, which nothing shows yet. */
const fitStored = async (ctx: CreateCtx, images: readonly StoredImage[]): Promise<void> => {
  const jpegs: Uint8Array[] = [];
  for (const { imageKey } of images) {
    const jpeg = await ctx.storage.get(imageKey);
    if (!jpeg) throw new AppError("internal", { cause: new Error(`The image ${imageKey} was not stored.`) });
    jpegs.push(jpeg);
  }
  const fitted = await ctx.images.fitToFirst(jpegs);
  for (const [index, { imageKey }] of images.entries()) {
    const jpeg = fitted[index];
    if (jpeg && jpeg !== jpegs[index]) await saveObject(ctx, imageKey, jpeg);
  }
};

const storeSlides = async (ctx: CreateCtx, { slides }: CreateCarouselInput): Promise<Stored> => {
  const images = await storeImages(ctx, { files: slides.map(({ image }) => image), nameOf: slideName });
  const keys = images.map(({ imageKey }) => imageKey);
  const [image] = images;
  if (!image) throw new AppError("internal", { cause: new Error("No slide was stored.") });
  try {
    await fitStored(ctx, images);
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: keys });
    throw error;
  }
  const rows = slides.map(({ image: _, ...texts }, position) => ({
    ...texts,
    position,
    imageKey: keys[position] ?? "",
  }));
  const write = (tx: Ctx, pinId: PinId) => tx.db.insert(pinSlides).values(rows.map((row) => ({ ...row, pinId })));
  return { keys, image, slideLinks: rows.map(({ link }) => link), write };
};

/** A draft of a carousel, whose images get the size of the first one; otherwise like {@link createVideoPin}. */
export const createCarousel = (ctx: CreateCtx, input: CreateCarouselInput): Promise<CreatedPin> => {
  const content = input.slides.map(({ image, ...texts }) => [texts, image.sha256]);
  return createPin(ctx, {
    ...{ accountId: input.accountId, pin: input.pin, idempotencyKey: input.idempotencyKey },
    ...{ format: "carousel", content, message: TEXTS.carouselCreated },
    store: () => storeSlides(ctx, input),
  });
};
