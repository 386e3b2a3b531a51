import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { settleReservation } from "#lib/features/credits/settle-reservation.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { createDraft } from "#lib/features/pins/create-draft.ts";
import { closeGroup } from "./close-group.ts";
import { TEXTS } from "./constants.ts";
import { failTask } from "./fail-task.ts";
import { findTask, type Task } from "./queries.ts";
import { showPicture } from "./show-picture.ts";

/** `unwanted`: the pin that was to get a new picture went its way; the credits are back. */
export type FinishResult = { kind: "finished"; pinId: PinId } | { kind: "already_finished" | "unwanted" };

type Looks = Pick<Parameters<typeof createDraft>[1], "likeness" | "placeholder">;

/** Read where it lies: the run that stored the picture may be another one than this. */
const describeImage = async (ctx: Ctx<"pictures" | "storage">, taskId: string): Promise<Looks> => {
  const task = await findTask(ctx, taskId);
  const jpeg = task?.imageKey && task.finishedAt === null ? await ctx.storage.get(task.imageKey) : null;
  return jpeg ? ctx.pictures.describePicture(jpeg) : { likeness: null, placeholder: null };
};

const toDraft = (task: Task, looks: Looks): Parameters<typeof createDraft>[1] => {
  const { userId, accountId, boardId, keyword, url, title, description, altText, imageKey } = task;
  if (title === null || description === null || altText === null || imageKey === null) {
    throw new AppError("internal", { cause: new Error(`Task ${task.id} is to be finished before it is complete.`) });
  }
  const texts = { title, description, altText, link: url, keyword };
  return { userId, accountId, boardId, source: "ai", ...texts, imageKey, ...looks };
};

/** Makes the draft, or gives a pin its new picture; null when that pin wants it no more. */
const settlePin = (tx: Ctx, task: Task, looks: Looks): Promise<PinId | null> =>
  task.replacesPinId === null ? createDraft(tx, toDraft(task, looks)) : showPicture(tx, { task, looks });

/** Locks a task that is still open; null when it has finished, or is gone. */
const lockOpenTask = async (tx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .for("no key update");
  return open ? findTask(tx, taskId) : null;
};

type Finished = { result: FinishResult; link: string | null };

const finishOpen = async (tx: Ctx, taskId: string, looks: Looks): Promise<Finished> => {
  const task = await lockOpenTask(tx, taskId);
  if (!task) return { result: { kind: "already_finished" }, link: null };
  const pinId = await settlePin(tx, task, looks);
  if (pinId === null) {
    await failTask(tx, { taskId, reason: TEXTS.pictureUnwanted });
    return { result: { kind: "unwanted" }, link: null };
  }
  // A pin is of one task; one that only made its picture anew says so by the other column.
  const made = task.replacesPinId === null ? { pinId } : {};
  await tx.db
    .update(generationTasks)
    .set({ status: "SUCCESS", reason: null, ...made, finishedAt: tx.now() })
    .where(eq(generationTasks.id, task.id));
  const settled = await settleReservation(tx, { reference: task.id, outcome: "spend" });
  if (settled.kind === "already_settled") {
    throw new AppError("internal", { cause: new Error(`The credits of open task ${task.id} are settled already.`) });
  }
  await closeGroup(tx, task.groupId);
  tx.log.count("tasks_finished");
  tx.log.set({ making_ms: tx.now().getTime() - task.createdAt.getTime() });
  return { result: { kind: "finished", pinId }, link: task.url };
};

/**
 * Makes a complete task a draft, or gives a pin its new picture, and spends its credits, both or neither and once
 * (R-TRK-15, R-SRV-01).
 * @throws AppError `internal` when words or picture are missing, or its credits were given back before.
 */
export const finishTask = async (
  ctx: Ctx<"jobs" | "pictures" | "storage">,
  { taskId }: { taskId: string },
): Promise<FinishResult> => {
  const looks = await describeImage(ctx, taskId);
  const { result, link } = await inTransaction(ctx, (tx) => finishOpen(tx, taskId, looks));
  await announceChecks(ctx, { links: [link] });
  return result;
};
