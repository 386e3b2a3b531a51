import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import {
  IMAGES_PART,
  ZIP_FAULTS,
  ZIP_FILE_BYTES_MAX,
  ZIP_FILES_MAX,
  ZIP_INFLATED_MAX,
  type ZipFault,
} from "./constants.ts";
import { imageRefOf } from "./planning.ts";
import { isImageName, type OpenedZip, openZip, readZipFile, ZipRefusal } from "./zip-files.ts";

const LIMITS = { filesMax: ZIP_FILES_MAX, fileBytesMax: ZIP_FILE_BYTES_MAX, totalBytesMax: ZIP_INFLATED_MAX };

const refusal = (fault: ZipFault, cause?: unknown): AppError =>
  new AppError("invalid", { text: ZIP_FAULTS[fault], fields: { [IMAGES_PART]: [ZIP_FAULTS[fault]] }, cause });

const asRefusal = (error: unknown): unknown =>
  error instanceof ZipRefusal ? refusal(error.problem, error.cause) : error;

type Entry = OpenedZip["files"][number];

/** Images by name, without their folders: a sheet names files, not where they are. */
const imagesOf = (zip: OpenedZip): Map<string, Entry> => {
  const images = new Map<string, Entry>();
  for (const entry of zip.files.filter(({ fileName }) => isImageName(fileName))) {
    const name = imageRefOf(entry.fileName) ?? "";
    if (images.has(name)) throw refusal("same_name");
    images.set(name, entry);
  }
  if (images.size === 0) throw refusal("empty");
  return images;
};

/** Each image is recorded as unused first, so that a crash leaves nothing behind. */
const storeImage = async (ctx: Ctx<"storage">, zip: OpenedZip, entry: Entry): Promise<string> => {
  const key = `imports/${sha256(randomToken()).slice(0, 40)}.bin`;
  await ctx.db.insert(orphanedImages).values({ key, since: ctx.now() });
  await ctx.storage.put(key, await readZipFile(zip, entry));
  return key;
};

/**
 * Stores the images of a ZIP file as they are, one by one to limit memory. They are deleted with the import, or a week
 * later if there is none. @returns storage keys by name. @throws AppError `invalid` with a sentence
 */
export const storeArchive = async (ctx: Ctx<"storage">, { path }: UploadedFile): Promise<Map<string, string>> => {
  let zip: OpenedZip | null = null;
  try {
    zip = await openZip(path, LIMITS);
    const stored = new Map<string, string>();
    for (const [name, entry] of imagesOf(zip)) stored.set(name, await storeImage(ctx, zip, entry));
    return stored;
  } catch (error) {
    throw asRefusal(error);
  } finally {
    zip?.close();
  }
};
