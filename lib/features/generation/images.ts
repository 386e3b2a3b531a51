import "server-only";
import { and, count, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, unionAll } from "drizzle-orm/pg-core";
import { brandKits } from "#db/schema/branding.ts";
import { pinSlides, pinVideos } from "#db/schema/formats.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { sha256, signText } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { EmailId, GroupId, PinId, UserId } from "#lib/core/ids.ts";
import { PURGE_STEP_MS, RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { reserveCredits } from "#lib/features/credits/reservations.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { replaceImage } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin, toPin } from "#lib/features/pins/queries.ts";
import { type ImageState, imageState } from "#lib/features/pins/schema.ts";
import { requireStorage } from "#lib/features/pins/storage-outages.ts";
import { REGENERATION_UNDO_MS, TEXTS } from "./constants.ts";
import { canRegenerateImage, leftOutWarning } from "./policy.ts";
import { findEarlierPins, type Task } from "./queries.ts";
import type { RegenerateImageInput, RegenerationInput, RegenerationWire } from "./schema.ts";
import { toTaskWire } from "./serializers.ts";
import { dispatchTasks } from "./task-queue.ts";

/** Deterministic, so a retried step finds its image, and unguessable: whoever knows the key can see the image. */
export const imageKeyOf = (ctx: Ctx, taskId: string): string =>
  `pins/${sha256(signText(ctx.settings.tokenSecret, `pin-image:${taskId}`)).slice(0, 40)}.jpg`;

/** Replaces the pin's image and keeps the old one for Undo. Null when the pin no longer accepts an image. */
export const replacePinImage = async (
  tx: Ctx,
  { task, imageInfo }: { task: Task; imageInfo: Pick<ImageState, "likeness" | "placeholder"> },
): Promise<PinId | null> => {
  if (task.replacesPinId === null || task.imageKey === null) {
    throw new AppError("internal", { cause: new Error(`Task ${task.id} has no image for a pin.`) });
  }
  const [row] = await tx.db
    .select()
    .from(pins)
    .where(and(eq(pins.id, task.replacesPinId), eq(pins.userId, task.userId)))
    .for("update");
  if (!row || !canRegenerateImage(row)) return null;
  const pin = toPin(row);
  const bare = { baseImageKey: null, template: null, review: null, reviewedAt: null };
  const replaced = await replaceImage(tx, {
    pin,
    next: { ...bare, ...imageInfo, imageKey: task.imageKey, source: "ai" },
  });
  await tx.db.update(generationTasks).set({ replaced }).where(eq(generationTasks.id, task.id));
  return pin.id;
};

/** Images per look-up and transaction; their files are deleted in parallel. */
const PURGE_BATCH = 500;
const DELETIONS_AT_ONCE = 32;

/** The transaction that wrote a row last. */
const writtenBy = sql<string>`${orphanedImages}.xmin::text`;

const findDue = (ctx: Ctx, isDue: SQL) =>
  ctx.db
    .select({ key: orphanedImages.key, writtenBy })
    .from(orphanedImages)
    .where(isDue)
    .orderBy(orphanedImages.since)
    .limit(PURGE_BATCH);

/** One statement, because an image that moves between columns could be missed by two. */
const findKeysInUse = async (ctx: Ctx, keys: string[]): Promise<Set<string | null>> => {
  const keyOf = (column: AnyPgColumn) => ({ key: sql<string | null>`${column}` });
  const shown = ctx.db.select(keyOf(pins.imageKey)).from(pins).where(isAnyOf(pins.imageKey, keys));
  const under = ctx.db.select(keyOf(pins.baseImageKey)).from(pins).where(isAnyOf(pins.baseImageKey, keys));
  const wanted = ctx.db
    .select(keyOf(generationTasks.imageKey))
    .from(generationTasks)
    .where(and(isAnyOf(generationTasks.imageKey, keys), isNull(generationTasks.finishedAt)));
  const logos = ctx.db.select(keyOf(brandKits.logoKey)).from(brandKits).where(isAnyOf(brandKits.logoKey, keys));
  // Images of an import become due only if it lives this long. An array, since a join would read all imports' rows,
  // which have no index by image.
  const through = addMs(ctx.now(), DAY_MS - RETENTION_MS.orphanedImage);
  const oldIds = ctx.db.select({ id: pinImports.id }).from(pinImports).where(lte(pinImports.createdAt, through));
  const imported = ctx.db
    .select(keyOf(pinImportRows.imageKey))
    .from(pinImportRows)
    .where(and(sql`${pinImportRows.importId} = any (array(${oldIds}))`, isAnyOf(pinImportRows.imageKey, keys)));
  const sent = ctx.db
    .select(keyOf(pinImportFiles.key))
    .from(pinImportFiles)
    .where(and(sql`${pinImportFiles.importId} = any (array(${oldIds}))`, isAnyOf(pinImportFiles.key, keys)));
  const slides = ctx.db.select(keyOf(pinSlides.imageKey)).from(pinSlides).where(isAnyOf(pinSlides.imageKey, keys));
  const videos = ctx.db.select(keyOf(pinVideos.videoKey)).from(pinVideos).where(isAnyOf(pinVideos.videoKey, keys));
  const found = await unionAll(shown, under, wanted, logos, imported, sent, slides, videos);
  return new Set(found.map(({ key }) => key));
};

/**
 * Orphan rows are deleted last, so that a crash is repaired by the next run.
 * @throws AppError `provider_unavailable` during an outage of the storage
 */
const purgeBatch = async (ctx: Ctx<"storage">, isDue: SQL): Promise<{ due: number; purged: number }> => {
  const due = await findDue(ctx, isDue);
  if (due.length === 0) return { due: 0, purged: 0 };
  const keys = due.map(({ key }) => key);
  const inUse = await findKeysInUse(ctx, keys);
  const unused = keys.filter((key) => !inUse.has(key));
  // An unmounted folder accepts deletions too, and would show the files again later.
  await requireStorage(ctx);
  await forEachConcurrently(unused, DELETIONS_AT_ONCE, async (imageKey) => {
    // The image first, so that no request makes a thumbnail of it again.
    for (const key of [imageKey, ...thumbnailKeys(imageKey)]) await ctx.storage.delete(key);
  });
  await inTransaction(ctx, async (tx) => {
    await tx.db
      .update(generationTasks)
      .set({ imageKey: null })
      .where(and(isAnyOf(generationTasks.imageKey, unused), isNotNull(generationTasks.finishedAt)));
    // The row of an image that was in use, and was orphaned in the meantime, stays.
    const versions = due.map((row) => row.writtenBy);
    await tx.db.delete(orphanedImages).where(and(isAnyOf(orphanedImages.key, keys), isAnyOf(writtenBy, versions)));
  });
  return { due: due.length, purged: unused.length };
};

/** Each batch deletes its orphan rows, so the next one finds others. `isDone`: within `maxMs`. */
const purgeDue = async (
  ctx: Ctx<"storage">,
  isDue: SQL,
  maxMs: number,
): Promise<{ purged: number; isDone: boolean }> => {
  const endsAtMs = performance.now() + maxMs;
  let purged = 0;
  do {
    const batch = await purgeBatch(ctx, isDue);
    purged += batch.purged;
    if (batch.due < PURGE_BATCH) return { purged, isDone: true };
  } while (performance.now() < endsAtMs && !ctx.stopping.aborted);
  return { purged, isDone: false };
};

/** Images unused for a week, for at most about `maxMs`. Safe to run concurrently. @returns how many */
export const purgeImages = async (ctx: Ctx<"storage">, maxMs = PURGE_STEP_MS): Promise<number> => {
  const through = addMs(ctx.now(), -RETENTION_MS.orphanedImage);
  return (await purgeDue(ctx, lte(orphanedImages.since, through), maxMs)).purged;
};

/** Images that the erasure of this user marked, whatever else waits for deletion. @returns whether none is left */
export const purgeErasedImages = async (ctx: Ctx<"storage">, { userId }: { userId: UserId }): Promise<boolean> =>
  (await purgeDue(ctx, eq(orphanedImages.erasedUserId, userId), PURGE_STEP_MS)).isDone;

/** From 1 for a new pin. Null when the pin no longer accepts a new image. */
export const findVariationNumber = async (ctx: Ctx, task: Task): Promise<number | null> => {
  const { replacesPinId, userId, createdAt } = task;
  if (replacesPinId === null) return task.variant + (await findEarlierPins(ctx, task)).pins;
  const [pin] = await ctx.db
    .select({ status: pins.status, mayBePublished: pins.mayBePublished })
    .from(pins)
    .where(and(eq(pins.id, replacesPinId), eq(pins.userId, userId)));
  if (!pin || !canRegenerateImage(pin)) return null;
  const [before] = await ctx.db
    .select({ variations: count() })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, replacesPinId), lt(generationTasks.createdAt, createdAt)));
  return 2 + (before?.variations ?? 0);
};

/** The newest that is running or can still be undone; else null. @throws AppError `not_found` */
export const readRegeneration = async (ctx: Ctx, { pinId }: RegenerationInput): Promise<RegenerationWire | null> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  const since = addMs(await databaseTime(ctx), -REGENERATION_UNDO_MS);
  const [task] = await ctx.db
    .select(getTableColumns(generationTasks))
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.replacesPinId, pin.id),
        eq(generationTasks.userId, pin.userId),
        or(isNull(generationTasks.finishedAt), gt(generationTasks.finishedAt, since)),
      ),
    )
    .orderBy(desc(generationTasks.createdAt), desc(generationTasks.id))
    .limit(1);
  if (!task) return null;
  const isShown = task.status === "SUCCESS" && task.imageKey === pin.imageKey && task.replaced !== null;
  const canUndo = isShown && canRegenerateImage(pin);
  return { group_id: task.groupId, task: toTaskWire(ctx, task), can_undo: canUndo };
};

/** `under_way`: one is already being generated, so no more credits were reserved. */
type RegenerationStart =
  | { kind: "started" | "under_way"; groupId: GroupId }
  | { kind: "nothing_affordable"; warning: string };

const findOpenGroup = async (tx: Ctx, pinId: string): Promise<GroupId | null> => {
  const [row] = await tx.db
    .select({ groupId: generationTasks.groupId })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, pinId), isNull(generationTasks.finishedAt)));
  return row ? (row.groupId as GroupId) : null;
};

/** Copies the pin's text, so that only the image is generated. */
const writeTask = async (tx: Ctx, pin: Pin, options: { id: string; quality: RegenerateImageInput["quality"] }) => {
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  const { userId, accountId, boardId, boardSectionId, keyword, title, description, altText, link } = pin;
  const { id, quality } = options;
  await tx.db
    .insert(generationGroups)
    .values({ id: groupId, userId, accountId, boardId, boardSectionId, quality, totalTasks: 1, createdAt });
  await tx.db.insert(generationTasks).values({
    ...{ id, groupId, userId, position: 0, keyword: keyword ?? title, url: link, title, description, altText },
    ...{ costCredits: COST_CREDITS[quality], replacesPinId: pin.id, status: "PENDING" },
    ...{ wakeAt: createdAt, createdAt },
  });
  return groupId;
};

const reserveAndWrite = async (
  tx: Ctx,
  { pinId, quality }: RegenerateImageInput,
): Promise<{ start: RegenerationStart; emailIds: EmailId[] }> => {
  const [pin] = await lockPins(tx, { pinIds: [pinId] });
  if (!pin) throw new AppError("not_found");
  if (!canRegenerateImage(pin)) throw new AppError("wrong_state", { text: TEXTS.notRegenerable });
  if (pin.format !== "image") throw new AppError("wrong_state", { text: PIN_TEXTS.imageFixed });
  // The pin's lock makes a second click wait for the first and then find its group.
  const open = await findOpenGroup(tx, pin.id);
  if (open) return { start: { kind: "under_way", groupId: open }, emailIds: [] };
  const id = tx.newId("task");
  const costCredits = COST_CREDITS[quality];
  const lots = [{ reference: id, costCredits }];
  const { reserved, availableCredits, emailIds, leftOut } = await reserveCredits(tx, { userId: pin.userId, lots });
  if (reserved === 0) {
    if (leftOut === "email_unconfirmed") throw new AppError("email_unconfirmed");
    const warning = leftOutWarning({ requested: 1, started: 0, availableCredits, costCredits, leftOut }) ?? "";
    return { start: { kind: "nothing_affordable", warning }, emailIds };
  }
  return { start: { kind: "started", groupId: await writeTask(tx, pin, { id, quality }) }, emailIds };
};

/**
 * The pin keeps its image until the new one is ready.
 * @throws AppError `not_found`; `wrong_state` if maybe posted; `email_unconfirmed`
 */
export const regenerateImage = async (ctx: Ctx<"jobs">, input: RegenerateImageInput): Promise<RegenerationStart> => {
  const { start, emailIds } = await inTransaction(ctx, (tx) => reserveAndWrite(tx, input));
  if (start.kind === "started") {
    ctx.log.set({ group_id: start.groupId, tasks: 1 });
    await dispatchTasks(ctx);
  }
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  return start;
};

/** Credits stay spent. @throws AppError `not_found`; `wrong_state` for another image, a scheduled pin, or too late */
export const undoRegeneration = (ctx: Ctx, { pinId }: RegenerationInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const [pin] = await lockPins(tx, { pinIds: [pinId] });
    if (!pin) throw new AppError("not_found");
    const [task] = await tx.db
      .select({ replaced: generationTasks.replaced })
      .from(generationTasks)
      .where(
        and(
          eq(generationTasks.replacesPinId, pin.id),
          eq(generationTasks.imageKey, pin.imageKey),
          eq(generationTasks.status, "SUCCESS"),
          gt(generationTasks.finishedAt, addMs(tx.now(), -REGENERATION_UNDO_MS)),
        ),
      )
      .orderBy(desc(generationTasks.finishedAt))
      .limit(1);
    if (!task || !canRegenerateImage(pin)) throw new AppError("wrong_state", { text: TEXTS.nothingToUndo });
    await replaceImage(tx, { pin, next: imageState.parse(task.replaced) });
  });
