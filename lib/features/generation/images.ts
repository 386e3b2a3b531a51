import "server-only";
import { and, count, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type AnyPgColumn, unionAll } from "drizzle-orm/pg-core";
import { brandKits } from "#db/schema/branding.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { GroupId, LetterId, PinId } from "#lib/core/ids.ts";
import { RETENTION_MS, RETIRED_IMAGES_MAX } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { reserveCredits } from "#lib/features/credits/reservations.ts";
import { announceLetters } from "#lib/features/email/delivery.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { replacePicture } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin, toPin } from "#lib/features/pins/queries.ts";
import { type Showing, showing } from "#lib/features/pins/schema.ts";
import { REMAKE_UNDO_MS, TEXTS } from "./constants.ts";
import { leftOutWarning, mayBeRemade } from "./policy.ts";
import type { Task } from "./queries.ts";
import type { RemakeInput, RemakePictureInput, RemakeWire } from "./schema.ts";
import { toTaskWire } from "./serializers.ts";
import { callUpTasks } from "./task-queue.ts";

/**
 * Where a task's picture lies: always the same place, so that a step which died after storing finds its picture,
 * and one that nobody can guess without our secret, for whoever knows it may see the picture.
 */
export const nameImage = (ctx: Ctx, taskId: string): string =>
  `pins/${sha256(signText(ctx.settings.tokenSecret, `pin-image:${taskId}`)).slice(0, 40)}.jpg`;

/**
 * Puts a task's picture on the pin that it was made for, and keeps what that showed before. Belongs into the
 * transaction that finishes the task. @returns null when the pin wants none any more: it was scheduled, published or
 * deleted meanwhile.
 */
export const showPicture = async (
  tx: Ctx,
  { task, looks }: { task: Task; looks: Pick<Showing, "likeness" | "placeholder"> },
): Promise<PinId | null> => {
  if (task.replacesPinId === null || task.imageKey === null) {
    throw new AppError("internal", { cause: new Error(`Task ${task.id} has no picture for a pin.`) });
  }
  const [row] = await tx.db
    .select()
    .from(pins)
    .where(and(eq(pins.id, task.replacesPinId), eq(pins.userId, task.userId)))
    .for("update");
  if (!row || !mayBeRemade(row)) return null;
  const pin = toPin(row);
  const bare = { baseImageKey: null, template: null, review: null, reviewedAt: null };
  const replaced = await replacePicture(tx, {
    pin,
    next: { ...bare, ...looks, imageKey: task.imageKey, source: "ai" },
  });
  await tx.db.update(generationTasks).set({ replaced }).where(eq(generationTasks.id, task.id));
  return pin.id;
};

const findDueKeys = async (ctx: Ctx, through: Date): Promise<string[]> => {
  const rows = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(lte(orphanedImages.since, through))
    .orderBy(orphanedImages.since)
    .limit(RETIRED_IMAGES_MAX);
  return rows.map(({ key }) => key);
};

/**
 * Which of these pictures a pin shows or has under its template, or an open task is going to. In one statement: between
 * two, a picture that changes its place, as when a template is taken off, would be seen in neither.
 */
const findKeysInUse = async (ctx: Ctx, keys: string[]): Promise<Set<string | null>> => {
  const keyOf = (column: AnyPgColumn) => ({ key: sql<string | null>`${column}` });
  const shown = ctx.db.select(keyOf(pins.imageKey)).from(pins).where(inArray(pins.imageKey, keys));
  const under = ctx.db.select(keyOf(pins.baseImageKey)).from(pins).where(inArray(pins.baseImageKey, keys));
  const wanted = ctx.db
    .select(keyOf(generationTasks.imageKey))
    .from(generationTasks)
    .where(and(inArray(generationTasks.imageKey, keys), isNull(generationTasks.finishedAt)));
  const logos = ctx.db.select(keyOf(brandKits.logoKey)).from(brandKits).where(inArray(brandKits.logoKey, keys));
  const found = await unionAll(shown, under, wanted, logos);
  return new Set(found.map(({ key }) => key));
};

/**
 * Deletes pictures, with their thumbnails, that lost their pin, or never got one, a week ago or earlier (DESIGN §5.6); one that is in use again
 * stays. The list is shortened last, so that whoever dies in between is followed by one who does it all again.
 * @returns how many pictures were deleted.
 */
export const retireImages = async (ctx: Ctx<"storage">): Promise<number> => {
  const through = addMs(ctx.now(), -RETENTION_MS.orphanedImage);
  const due = await findDueKeys(ctx, through);
  if (due.length === 0) return 0;
  const inUse = await findKeysInUse(ctx, due);
  const unused = due.filter((key) => !inUse.has(key));
  for (const imageKey of unused) {
    for (const key of [...thumbnailKeys(imageKey), imageKey]) await ctx.storage.delete(key);
  }
  await inTransaction(ctx, async (tx) => {
    await tx.db
      .update(generationTasks)
      .set({ imageKey: null })
      .where(and(inArray(generationTasks.imageKey, unused), isNotNull(generationTasks.finishedAt)));
    // One that lost its last pin meanwhile was noted anew, and has its time from then on.
    await tx.db.delete(orphanedImages).where(and(inArray(orphanedImages.key, due), lte(orphanedImages.since, through)));
  });
  return unused.length;
};

/**
 * The how manieth picture a task draws for its pin: 1 for a new pin's, then one more for each that was asked for
 * since. Null when the pin wants none any more, which is asked before the picture is paid for.
 */
export const countTake = async (ctx: Ctx, task: Task): Promise<number | null> => {
  const { replacesPinId, userId, createdAt } = task;
  if (replacesPinId === null) return 1;
  const [pin] = await ctx.db
    .select({ status: pins.status, mayBePublished: pins.mayBePublished })
    .from(pins)
    .where(and(eq(pins.id, replacesPinId), eq(pins.userId, userId)));
  if (!pin || !mayBeRemade(pin)) return null;
  const [before] = await ctx.db
    .select({ takes: count() })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, replacesPinId), lt(generationTasks.createdAt, createdAt)));
  return 2 + (before?.takes ?? 0);
};

/**
 * The newest picture that was asked for one of the actor's pins and is in the making, or ended within the time in which
 * it can be taken back; else null. @throws AppError `not_found`.
 */
export const readRemake = async (ctx: Ctx, { pinId }: RemakeInput): Promise<RemakeWire | null> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  const since = addMs(await databaseTime(ctx), -REMAKE_UNDO_MS);
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
  const canUndo = isShown && mayBeRemade(pin);
  return { group_id: task.groupId, task: toTaskWire(task), can_undo: canUndo };
};

/** `under_way`: a picture for this pin is being made already, and nothing more was reserved. */
type RemakeStart =
  | { kind: "started" | "under_way"; groupId: GroupId }
  | { kind: "nothing_affordable"; warning: string };

const findOpenGroup = async (tx: Ctx, pinId: string): Promise<GroupId | null> => {
  const [row] = await tx.db
    .select({ groupId: generationTasks.groupId })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, pinId), isNull(generationTasks.finishedAt)));
  // The id was made by `createId`.
  return row ? (row.groupId as GroupId) : null;
};

/** One task with the pin's words as they are: only its picture is missing, and no text model is asked. */
const writeTask = async (tx: Ctx, pin: Pin, facts: { id: string; quality: RemakePictureInput["quality"] }) => {
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  const { userId, accountId, boardId, keyword, title, description, altText, link } = pin;
  const { id, quality } = facts;
  await tx.db
    .insert(generationGroups)
    .values({ id: groupId, userId, accountId, boardId, quality, totalTasks: 1, createdAt });
  await tx.db.insert(generationTasks).values({
    ...{ id, groupId, userId, position: 0, keyword: keyword ?? title, url: link, title, description, altText },
    ...{ costCredits: COST_CREDITS[quality], replacesPinId: pin.id, status: "PENDING" },
    ...{ wakeAt: createdAt, createdAt },
  });
  return groupId;
};

const reserveAndWrite = async (
  tx: Ctx,
  { pinId, quality }: RemakePictureInput,
): Promise<{ start: RemakeStart; letterIds: LetterId[] }> => {
  const [pin] = await lockPins(tx, { pinIds: [pinId] });
  if (!pin) throw new AppError("not_found");
  if (!mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.notRemakable });
  // The lock on the pin makes a second press wait for the first, and then find it.
  const open = await findOpenGroup(tx, pin.id);
  if (open) return { start: { kind: "under_way", groupId: open }, letterIds: [] };
  const id = tx.newId("task");
  const costCredits = COST_CREDITS[quality];
  const lots = [{ reference: id, costCredits }];
  const { reserved, availableCredits, letterIds } = await reserveCredits(tx, { userId: pin.userId, lots });
  if (reserved === 0) {
    const warning = leftOutWarning({ asked: 1, started: 0, availableCredits, costCredits }) ?? "";
    return { start: { kind: "nothing_affordable", warning }, letterIds };
  }
  return { start: { kind: "started", groupId: await writeTask(tx, pin, { id, quality }) }, letterIds };
};

/**
 * Starts making a new picture for a draft or failed pin: a generation of one task, with its credits, its turn and its
 * end like any other, but the pin keeps its old picture until the new one is there. Too few credits is an expected outcome.
 * @throws AppError `not_found`; `wrong_state` once it is scheduled, published, or may be published.
 */
export const remakePicture = async (ctx: Ctx<"jobs">, input: RemakePictureInput): Promise<RemakeStart> => {
  const { start, letterIds } = await inTransaction(ctx, (tx) => reserveAndWrite(tx, input));
  if (start.kind === "started") {
    ctx.log.set({ group_id: start.groupId, tasks: 1 });
    await callUpTasks(ctx);
  }
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return start;
};

/**
 * Gives a pin the picture back that it had before the one that was made for it and that it shows now; the credits are
 * spent. The old picture is there as long as this is offered: a lost one is kept for longer.
 * @throws AppError `not_found`; `wrong_state` when it shows another one, was scheduled, or too much time has passed.
 */
export const undoRemake = (ctx: Ctx, { pinId }: RemakeInput): Promise<void> =>
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
          gt(generationTasks.finishedAt, addMs(tx.now(), -REMAKE_UNDO_MS)),
        ),
      )
      .orderBy(desc(generationTasks.finishedAt))
      .limit(1);
    if (!task || !mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.nothingToUndo });
    await replacePicture(tx, { pin, next: showing.parse(task.replaced) });
  });
