import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import { imageKindOf, KIND_BYTES, type UploadedFile } from "#lib/core/images.ts";
import { markImagesForDeletion } from "#lib/features/pins/images.ts";
import { saveObject } from "#lib/features/pins/storage-outages.ts";
import {
  IMAGES_PART,
  ZIP_ENTRIES_MAX,
  ZIP_FAULTS,
  ZIP_FILE_BYTES_MAX,
  ZIP_FILES_MAX,
  ZIP_INFLATED_MAX,
  type ZipFault,
} from "./constants.ts";
import { deleteMarked } from "./erasure.ts";
import { imageRefOf } from "./planning.ts";
import { isImageName, type OpenedZip, openZip, readZipFile, ZipRefusal } from "./zip-files.ts";

/** Only images count: macOS adds a file for each one. */
const LIMITS = {
  entriesMax: ZIP_ENTRIES_MAX,
  filesMax: ZIP_FILES_MAX,
  fileBytesMax: ZIP_FILE_BYTES_MAX,
  totalBytesMax: ZIP_INFLATED_MAX,
  isWanted: isImageName,
};

const refusal = (fault: ZipFault, cause?: unknown): AppError =>
  new AppError("invalid", { text: ZIP_FAULTS[fault], fields: { [IMAGES_PART]: [ZIP_FAULTS[fault]] }, cause });

const asRefusal = (error: unknown): unknown =>
  error instanceof ZipRefusal ? refusal(error.problem, error.cause) : error;

type Entry = OpenedZip["files"][number];

/** Images by name, without their folders: a sheet names files, not where they are. */
const imagesOf = (zip: OpenedZip): Map<string, Entry> => {
  const images = new Map<string, Entry>();
  for (const entry of zip.files) {
    const name = imageRefOf(entry.fileName) ?? "";
    if (images.has(name)) throw refusal("same_name");
    images.set(name, entry);
  }
  if (images.size === 0) throw refusal("empty");
  return images;
};

const isImage = (bytes: Uint8Array): boolean =>
  !["empty", "other"].includes(imageKindOf(bytes.subarray(0, KIND_BYTES)));

/**
 * Adds each image to `stored`, recorded as unused before, so that a crash leaves nothing behind. Of other files, only
 * the first bytes are kept: enough to tell the row that uses them what is wrong.
 */
const storeImages = async (ctx: Ctx<"storage">, zip: OpenedZip, stored: Map<string, string>): Promise<void> => {
  let count = 0;
  for (const [name, entry] of imagesOf(zip)) {
    const content = await readZipFile(zip, entry);
    const bytes = isImage(content) ? content : content.subarray(0, KIND_BYTES);
    if (isImage(content)) count++;
    const key = `imports/${sha256(randomToken()).slice(0, 40)}.bin`;
    await ctx.db.insert(orphanedImages).values({ key, since: ctx.now() });
    stored.set(name, key);
    await saveObject(ctx, key, bytes);
  }
  if (count === 0) throw refusal("empty");
};

/** Deletes what {@link storeArchive} stored for an import that doesn't exist. */
export const discardArchive = async (ctx: Ctx<"storage">, stored: ReadonlyMap<string, string>): Promise<void> => {
  const fileKeys = [...stored.values()];
  await markImagesForDeletion(ctx, { imageKeys: fileKeys });
  await deleteMarked(ctx, fileKeys);
};

/**
 * Stores the images of a ZIP file as they are, one by one to limit memory. They are deleted with the import; without
 * one at once, or after a crash a week later. @returns storage keys by name. @throws AppError `invalid` with a sentence
 */
export const storeArchive = async (ctx: Ctx<"storage">, { path }: UploadedFile): Promise<Map<string, string>> => {
  let zip: OpenedZip | null = null;
  const stored = new Map<string, string>();
  try {
    zip = await openZip(path, LIMITS);
    await storeImages(ctx, zip, stored);
    return stored;
  } catch (error) {
    await discardArchive(ctx, stored);
    throw asRefusal(error);
  } finally {
    zip?.close();
  }
};
