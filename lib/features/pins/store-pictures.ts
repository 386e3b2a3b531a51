import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UploadedFile } from "#lib/core/uploaded-file.ts";
import type { PictureDescription } from "#lib/integrations/pictures/port.ts";
import { condemnImages } from "./condemn-images.ts";
import { PICTURE_FAULTS, TEXTS } from "./constants.ts";
import { keepPictures } from "./keep-pictures.ts";
import { nameKept } from "./name-kept.ts";
import { type KeptFile, partName } from "./schema.ts";

/**
 * A picture in the storage that no pin has yet, and how it looks. `isFirstFrame`: the file moved, and this is how it
 * began.
 */
export interface StoredPicture extends PictureDescription {
  imageKey: string;
  isFirstFrame: boolean;
}

type StoreCtx = Ctx<"pictures" | "storage">;

/** A place that nobody can guess: whoever knows it may see the picture (decision 0004). */
const newImageKey = (): string => `pins/${sha256(randomToken()).slice(0, 40)}.jpg`;

/** What was found wrong with a file, in a sentence that names its pin as the screen does: from 1. */
interface Fault {
  part: string;
  text: string;
}

type File = UploadedFile | KeptFile;

/** A picture that an earlier, refused set left, or one from the file on the disk; a text: why it is none. */
const prepare = async (ctx: StoreCtx, file: File): Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | string> => {
  if (file.path === null) {
    for (const isFirstFrame of [false, true]) {
      const jpeg = await ctx.storage.get(nameKept(ctx, file.sha256, isFirstFrame));
      if (jpeg) return { jpeg, isFirstFrame };
    }
    return TEXTS.pictureGone;
  }
  const prepared = await ctx.pictures.prepareUpload(file.path);
  return prepared.kind === "refused" ? PICTURE_FAULTS[prepared.fault] : prepared;
};

const storeOne = async (ctx: StoreCtx, file: File, imageKey: string): Promise<StoredPicture | string> => {
  const prepared = await prepare(ctx, file);
  if (typeof prepared === "string") return prepared;
  const { jpeg, isFirstFrame } = prepared;
  await ctx.storage.put(imageKey, jpeg);
  return { imageKey, isFirstFrame, ...(await ctx.pictures.describePicture(jpeg)) };
};

/** All files, one after the other: what is wrong with any of them is told at once. */
const storeEach = async (ctx: StoreCtx, files: readonly File[], keys: readonly string[]) => {
  const stored: (StoredPicture & { sha256: string; part: string })[] = [];
  const faults: Fault[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await storeOne(ctx, file, keys[index] ?? "");
    const part = partName(index);
    if (typeof outcome === "string") faults.push({ part, text: `Pin ${index + 1}: ${outcome}` });
    else stored.push({ ...outcome, sha256: file.sha256, part });
  }
  return { stored, faults };
};

/**
 * Prepares files that somebody sent and stores them, one after the other. Each is noted as an orphan before it is
 * stored; whoever gives it to a pin takes the note away. A file that was sent before with a set that was refused
 * because of others need not be sent again: its picture was kept.
 * @throws AppError `invalid` with a sentence about the first file that is no picture, one about each such file in
 * `fields`, and in `kept` the pins whose pictures are kept; what was stored for this set goes soon.
 */
export const storePictures = async (ctx: StoreCtx, { files }: { files: readonly File[] }): Promise<StoredPicture[]> => {
  const keys = files.map(newImageKey);
  const since = ctx.now();
  await ctx.db.insert(orphanedImages).values(keys.map((key) => ({ key, since })));
  try {
    const { stored, faults } = await storeEach(ctx, files, keys);
    const [first] = faults;
    if (!first) return stored;
    const pictures = stored.map(({ sha256: file, imageKey, isFirstFrame }) => ({
      sha256: file,
      read: async () => {
        const jpeg = await ctx.storage.get(imageKey);
        return jpeg && { jpeg, isFirstFrame };
      },
    }));
    await keepPictures(ctx, { pictures });
    throw new AppError("invalid", {
      text: first.text,
      fields: Object.fromEntries(faults.map(({ part, text }) => [part, [text]])),
      more: { kept: stored.map(({ part }) => part) },
    });
  } catch (error) {
    await condemnImages(ctx, { imageKeys: keys });
    throw error;
  }
};
