import "server-only";
import { writeFile } from "node:fs/promises";
import { and, asc, eq, isNotNull, isNull, ne } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { sha256, signText } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { ImportId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { IMAGE_BYTES_MAX, IMAGE_PATH, IMAGE_PROBLEMS } from "#lib/features/pins/constants.ts";
import { orphanImage, readImage, withImageFile } from "#lib/features/pins/images.ts";
import { imageRequest } from "#lib/features/pins/schema.ts";
import { saveObject } from "#lib/features/pins/storage-outages.ts";
import type { ImageAnswer } from "#lib/integrations/links/port.ts";
import { FETCH_BATCH, FETCH_STEP_MS, FETCHES_AT_ONCE, IMAGE_TEXTS, OFFLINE_WAIT_MS, RUN_LOST_MS } from "./constants.ts";
import { isImageUrl } from "./planning.ts";
import { findFiles, type Import, isWaiting } from "./queries.ts";
import type { ImportRequested } from "./schema.ts";

type FetchCtx = Ctx<"images" | "links" | "storage">;

/** `waitsOnline`: whether being offline is ours to wait for, rather than a problem to show. */
type OpenImport = Pick<Import, "id"> & { waitsOnline: boolean };

type Prepared = { kind: "jpeg"; jpeg: Uint8Array } | { kind: "problem"; text: string };

const problem = (text: string): Prepared => ({ kind: "problem", text });

/** The same for each try, so that a repeated step replaces its own image; unguessable without our secret. */
const imageKeyOf = (ctx: Ctx, importId: ImportId, ref: string): string =>
  `pins/${sha256(signText(ctx.settings.tokenSecret, `import:${importId}:${ref}`)).slice(0, 40)}.jpg`;

const answerText = (answer: Exclude<ImageAnswer, { kind: "fetched" }>): string => {
  if (answer.kind !== "status") return IMAGE_TEXTS[answer.kind];
  const { status } = answer;
  if (status === 401 || status === 403) return IMAGE_TEXTS.login;
  return status === 404 || status === 410 ? IMAGE_TEXTS.gone : IMAGE_TEXTS.status(status);
};

const prepareFile = async (ctx: FetchCtx, path: string): Promise<Prepared> => {
  const prepared = await ctx.images.prepareUpload(path);
  return prepared.kind === "refused" ? problem(IMAGE_PROBLEMS[prepared.fault]) : { kind: "jpeg", jpeg: prepared.jpeg };
};

/** An image of our own, such as those in our exports; null for others' URLs. Needs what its URL needs (decision 0037). */
const readOwn = async (ctx: FetchCtx, url: string): Promise<Prepared | null> => {
  const prefix = `${ctx.settings.appUrl}${IMAGE_PATH}`;
  if (!url.startsWith(prefix)) return null;
  try {
    const { bytes, contentType } = await readImage(
      ctx,
      imageRequest.parse({ key: url.slice(prefix.length).split("/") }),
    );
    // Copied as it is: reading it as an upload would compress it again.
    return contentType === "image/jpeg" ? { kind: "jpeg", jpeg: bytes } : problem(IMAGE_TEXTS.gone);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return problem(IMAGE_TEXTS.gone);
    throw error;
  }
};

const readUrl = async (ctx: FetchCtx, { waitsOnline }: OpenImport, url: string, path: string): Promise<Prepared> => {
  const own = await readOwn(ctx, url);
  if (own) return own;
  const answer = await ctx.links.fetchImage(url, { path, bytesMax: IMAGE_BYTES_MAX });
  if (answer.kind === "fetched") return prepareFile(ctx, path);
  if (answer.kind === "offline" && waitsOnline) {
    throw new AppError("provider_unavailable", { cause: new Error("We are offline.") });
  }
  return problem(answerText(answer));
};

const readZipped = async (ctx: FetchCtx, key: string | undefined, path: string): Promise<Prepared> => {
  const bytes = key === undefined ? null : await ctx.storage.get(key);
  if (!bytes) return problem(IMAGE_TEXTS.gone);
  await writeFile(path, bytes, { mode: 0o600 });
  return prepareFile(ctx, path);
};

const prepareImage = (
  ctx: FetchCtx,
  open: OpenImport,
  ref: string,
  files: ReadonlyMap<string, string>,
): Promise<Prepared> =>
  withImageFile((path) => (isImageUrl(ref) ? readUrl(ctx, open, ref, path) : readZipped(ctx, files.get(ref), path)));

const NO_IMAGE = { imageKey: null, likeness: null, placeholder: null };

type RowImage = Pick<
  typeof pinImportRows.$inferSelect,
  "imageKey" | "likeness" | "placeholder" | "imageDone" | "imageProblem"
>;

/** For all rows that name the image. Those that they had before are unused then. */
const updateRows = async (ctx: Ctx, importId: ImportId, ref: string, image: RowImage): Promise<void> => {
  const { imageKey } = pinImportRows;
  const ofImage = and(eq(pinImportRows.importId, importId), eq(pinImportRows.imageRef, ref));
  const isReplaced = and(ofImage, isNotNull(imageKey), ne(imageKey, image.imageKey ?? ""));
  const replaced = await ctx.db.selectDistinct({ imageKey }).from(pinImportRows).where(isReplaced);
  for (const before of replaced) if (before.imageKey) await orphanImage(ctx, { imageKey: before.imageKey });
  await ctx.db.update(pinImportRows).set(image).where(ofImage);
};

/** Stores an image for all rows that name it. It is recorded as unused until the pins are created. */
const fetchOne = async (
  ctx: FetchCtx,
  open: OpenImport,
  ref: string,
  files: ReadonlyMap<string, string>,
): Promise<void> => {
  const prepared = await prepareImage(ctx, open, ref, files);
  if (prepared.kind === "problem") {
    return updateRows(ctx, open.id, ref, { ...NO_IMAGE, imageDone: ref, imageProblem: prepared.text });
  }
  const imageKey = imageKeyOf(ctx, open.id, ref);
  await orphanImage(ctx, { imageKey });
  await saveObject(ctx, imageKey, prepared.jpeg);
  const { likeness, placeholder } = await ctx.images.describeJpeg(prepared.jpeg);
  await updateRows(ctx, open.id, ref, { imageKey, likeness, placeholder, imageDone: ref, imageProblem: null });
};

const findWaiting = async (ctx: Ctx, importId: ImportId): Promise<string[]> => {
  const rows = await ctx.db
    .select({ ref: pinImportRows.imageRef })
    .from(pinImportRows)
    .where(isWaiting(importId))
    .orderBy(asc(pinImportRows.number))
    .limit(FETCH_BATCH);
  return [...new Set(rows.flatMap(({ ref }) => ref ?? []))];
};

/** Null when it is over, or its user was deleted. Notes that a run is at work. */
const beginBatch = async (ctx: Ctx, importId: ImportId): Promise<OpenImport | null> => {
  const now = await databaseTime(ctx);
  const isOpen = and(eq(pinImports.id, importId), ne(pinImports.status, "done"));
  const [row] = await ctx.db
    .update(pinImports)
    .set({ wakeAt: addMs(now, RUN_LOST_MS) })
    .from(users)
    .where(and(isOpen, eq(users.id, pinImports.userId), isNull(users.closedAt)))
    .returning({ changedAt: pinImports.updatedAt });
  return row ? { id: importId, waitsOnline: now < addMs(row.changedAt, OFFLINE_WAIT_MS) } : null;
};

/**
 * Fetches and stores images for a while. Everything may run twice, also at the same time.
 * @returns whether more are left; `gone` without an open import. @throws when storage or our own connection fails
 */
export const fetchImages = async (
  ctx: FetchCtx,
  { importId }: ImportRequested,
): Promise<{ kind: "more" | "done" | "gone" }> => {
  const endsAtMs = performance.now() + FETCH_STEP_MS;
  while (performance.now() < endsAtMs && !ctx.stopping.aborted) {
    const open = await beginBatch(ctx, importId);
    if (!open) return { kind: "gone" };
    const refs = await findWaiting(ctx, open.id);
    if (refs.length === 0) return { kind: "done" };
    const files = await findFiles(ctx, open.id);
    await forEachConcurrently(refs, FETCHES_AT_ONCE, async (ref) => {
      // A file name that the ZIP file doesn't have is a problem of the row; there is nothing to fetch.
      await fetchOne(ctx, open, ref, files);
      ctx.log.count("images_fetched");
    });
  }
  return { kind: "more" };
};
