import "server-only";
import { eq, lte } from "drizzle-orm";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { toAppError } from "#lib/core/errors.ts";
import type { ImportId, UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { markImagesForDeletion } from "#lib/features/pins/images.ts";

interface ErasedRows {
  importId: ImportId;
  /** Images that pins use now. */
  usedKeys?: ReadonlySet<string>;
  erasedUserId?: UserId;
}

/**
 * Deletes the staged rows and files of an import, and marks its unused images for deletion. Runs in a transaction.
 * @returns the storage keys of its files
 */
export const eraseRows = async (tx: Ctx, { importId, usedKeys, erasedUserId }: ErasedRows): Promise<string[]> => {
  const ofImport = eq(pinImportRows.importId, importId);
  const images = await tx.db.selectDistinct({ key: pinImportRows.imageKey }).from(pinImportRows).where(ofImport);
  const files = await tx.db
    .delete(pinImportFiles)
    .where(eq(pinImportFiles.importId, importId))
    .returning({ key: pinImportFiles.key });
  const fileKeys = files.map(({ key }) => key);
  const unused = images.flatMap(({ key }) => (key === null || usedKeys?.has(key) ? [] : [key]));
  await markImagesForDeletion(tx, { imageKeys: [...fileKeys, ...unused], ...(erasedUserId && { erasedUserId }) });
  await tx.db.delete(pinImportRows).where(ofImport);
  return fileKeys;
};

const DELETIONS_AT_ONCE = 32;

/** Deletes files of imports after the commit: a ZIP file is large. They are marked, so what fails here is deleted later. */
export const deleteMarked = async (ctx: Ctx<"storage">, fileKeys: readonly string[]): Promise<void> => {
  try {
    await forEachConcurrently(fileKeys, DELETIONS_AT_ONCE, (key) => ctx.storage.delete(key));
  } catch (thrown) {
    ctx.log.set({ import_files_problem: toAppError(thrown).code });
  }
};

/** Runs in a transaction. @returns the storage keys of the import's files, for {@link deleteMarked} */
export const eraseImport = async (tx: Ctx, erased: Omit<ErasedRows, "usedKeys">): Promise<string[]> => {
  // The import first: whoever stores an image of it meanwhile waits for its row, then finds none.
  const [locked] = await tx.db.select().from(pinImports).where(eq(pinImports.id, erased.importId)).for("update");
  if (!locked) return [];
  const fileKeys = await eraseRows(tx, erased);
  await tx.db.delete(pinImports).where(eq(pinImports.id, erased.importId));
  return fileKeys;
};

export const eraseImports = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  const own = await ctx.db.select({ id: pinImports.id }).from(pinImports).where(eq(pinImports.userId, userId));
  for (const { id } of own) {
    await inTransaction(ctx, (tx) => eraseImport(tx, { importId: id as ImportId, erasedUserId: userId }));
  }
};

const PURGE_BATCH = 100;

/** Imports that nobody touched for days, finished or not, for at most about `maxMs`. @returns how many */
export const purgeImports = async (ctx: Ctx, maxMs = Number.POSITIVE_INFINITY): Promise<number> => {
  const endsAtMs = performance.now() + maxMs;
  const before = addMs(ctx.now(), -RETENTION_MS.pinImport);
  let purged = 0;
  for (;;) {
    const old = await ctx.db
      .select({ id: pinImports.id })
      .from(pinImports)
      .where(lte(pinImports.updatedAt, before))
      .limit(PURGE_BATCH);
    for (const { id } of old) await inTransaction(ctx, (tx) => eraseImport(tx, { importId: id as ImportId }));
    purged += old.length;
    if (old.length < PURGE_BATCH || performance.now() >= endsAtMs) return purged;
  }
};
