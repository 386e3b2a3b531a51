import "server-only";
import { and, eq, isNull, notExists, sql } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { announceChecks } from "#lib/features/links/checks.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { SILENT_AFTER_MS, TEXTS } from "./constants.ts";
import { nameImage, showPicture } from "./images.ts";
import { decideRetry } from "./policy.ts";
import { findTask, type Task, wakeBy } from "./queries.ts";
import { callUpTasks } from "./task-queue.ts";

/** Marks a task as being worked on, which is a sign of life. Null when it has finished or is gone: then there is nothing left to do. */
export const startTask = async (ctx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await ctx.db
    .update(generationTasks)
    .set({
      status: "STARTED",
      startedAt: sql`coalesce(${generationTasks.startedAt}, now())`,
      wakeAt: wakeBy(addMs(await databaseTime(ctx), SILENT_AFTER_MS)),
    })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return open ? findTask(ctx, taskId) : null;
};

/** `unwanted`: the pin that was to get a new picture went its way; the credits are back. */
type FinishResult = { kind: "finished"; pinId: PinId } | { kind: "already_finished" | "unwanted" };

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

/**
 * Gives a task up and its credits back, both or neither and once (R-SRV-01). Without a `reason` the last known
 * problem is shown, else a general sentence; a reason must be safe to show.
 */
export const failTask = (
  ctx: Ctx,
  { taskId, reason }: { taskId: string; reason?: string },
): Promise<{ kind: "failed" | "already_finished" }> =>
  inTransaction(ctx, async (tx) => {
    const known = sql<string>`coalesce(${generationTasks.reason}, ${TEXTS.taskFailed})`;
    const [failed] = await tx.db
      .update(generationTasks)
      .set({ status: "FAILURE", reason: reason ?? known, finishedAt: tx.now() })
      .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
      .returning({ groupId: generationTasks.groupId });
    if (!failed) return { kind: "already_finished" };
    await settleReservation(tx, { reference: taskId, outcome: "release" });
    // Known to the task or not, the picture may be in the storage, or on its way there.
    await orphanImage(tx, { imageKey: nameImage(tx, taskId) });
    await closeGroup(tx, failed.groupId);
    tx.log.count("tasks_failed");
    return { kind: "failed" };
  });

/** Gives a task up whose run cannot go on (see {@link failTask}), and calls up the next one in its seat. */
export const giveUpTask = async (ctx: Ctx<"jobs">, { taskId }: { taskId: string }): ReturnType<typeof failTask> => {
  const failed = await failTask(ctx, { taskId });
  await callUpTasks(ctx);
  return failed;
};

/**
 * How a step of a task ended. `finished`: there was nothing left to do; `failed`: the task was given up here;
 * `no_place`: no picture was drawn, and that is no try; `isTaken`: another run of the task waits or draws.
 */
export type StepResult =
  | { kind: "stored" | "finished" | "failed" }
  | { kind: "no_place"; afterSeconds: number; isTaken: boolean }
  | { kind: "retry"; afterSeconds: number; text: string };

/**
 * Draws the consequence of a model's problem: the task waits for another try, or it fails now, so that its credits
 * return at once instead of after the other step. The text is kept as the reason, should it come to that.
 */
export const weighProblem = async (
  ctx: Ctx,
  input: { taskId: string; attempt: number; problem: AiProblem },
): Promise<StepResult> => {
  const { taskId, attempt, problem } = input;
  const decision = decideRetry(problem, attempt);
  ctx.log.set({ ai_problem: problem.kind, ai_detail: problem.detail, attempt, decision: decision.kind });
  if (decision.kind === "fail") {
    await failTask(ctx, { taskId, reason: problem.text });
    return { kind: "failed" };
  }
  const silentMs = decision.afterSeconds * SECOND_MS + SILENT_AFTER_MS;
  await ctx.db
    .update(generationTasks)
    .set({ status: "RETRY", reason: problem.text, wakeAt: wakeBy(addMs(await databaseTime(ctx), silentMs)) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
  return { kind: "retry", afterSeconds: decision.afterSeconds, text: problem.text };
};

/**
 * Marks a group as finished when none of its tasks is open. The group is locked first: of two tasks that end at the
 * same moment, the second then sees the first. Belongs at the end of the transaction that finished a task.
 */
export const closeGroup = async (tx: Ctx, groupId: string): Promise<void> => {
  await tx.db
    .select({ id: generationGroups.id })
    .from(generationGroups)
    .where(eq(generationGroups.id, groupId))
    .for("no key update");
  const open = tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.groupId, groupId), isNull(generationTasks.finishedAt)));
  await tx.db
    .update(generationGroups)
    .set({ finishedAt: tx.now() })
    .where(and(eq(generationGroups.id, groupId), isNull(generationGroups.finishedAt), notExists(open)));
};

/** Tasks that have not finished, over all processes: nobody has begun, and begun or between two tries. */
interface OpenTasks {
  waiting: number;
  running: number;
}

/** Counts end here, so that asking costs a bounded time. */
const COUNTED_MAX = 100_000;

/** Counts the pins that are being made (for the metrics), by the index of open tasks. */
export const countTasks = async (ctx: Ctx): Promise<OpenTasks> => {
  const [counted] = await ctx.db.execute<{ waiting: number; running: number }>(sql`
    select count(*) filter (where status = 'PENDING')::int as waiting,
      count(*) filter (where status <> 'PENDING')::int as running
    from (select status from ${generationTasks} where finished_at is null order by wake_at limit ${COUNTED_MAX}) open`);
  if (!counted) throw new Error("A count without a grouping has one row.");
  return counted;
};
