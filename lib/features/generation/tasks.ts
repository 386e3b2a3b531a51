import "server-only";
import { and, eq, isNull, notExists, sql } from "drizzle-orm";
import { generationGroups, generationTasks, heldImages } from "#db/schema/generation.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { sendCheckEvents } from "#lib/features/links/checks.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import { readImage } from "#lib/features/pins/storage-outages.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import type { WebhookData } from "#lib/features/webhooks/schema.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { SILENT_AFTER_MS, TEXTS } from "./constants.ts";
import { imageKeyOf, replacePinImage } from "./images.ts";
import { decideRetry } from "./policy.ts";
import { findTask, type Task, wakeBy } from "./queries.ts";
import { requeueForStorage } from "./storage-waits.ts";
import { dispatchTasks } from "./task-queue.ts";

/** Null when the task has finished or was deleted. */
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

/** `unwanted`: the pin no longer accepts a new image, so the credits were returned. `storage_down`: the task waits. */
type FinishResult = { kind: "finished"; pinId: PinId } | { kind: "already_finished" | "unwanted" | "storage_down" };

type ImageInfo = Pick<Parameters<typeof createDraft>[1], "likeness" | "placeholder">;

/** From storage, because another run may have stored it. */
const describeImage = async (ctx: Ctx<"images" | "storage">, taskId: string): Promise<ImageInfo | "unavailable"> => {
  const task = await findTask(ctx, taskId);
  const jpeg = task?.imageKey && task.finishedAt === null ? await readImage(ctx, task.imageKey) : "missing";
  if (jpeg === "unavailable") return jpeg;
  return jpeg === "missing" ? { likeness: null, placeholder: null } : ctx.images.describeJpeg(jpeg);
};

const toDraft = (task: Task, imageInfo: ImageInfo): Parameters<typeof createDraft>[1] => {
  const { userId, accountId, boardId, boardSectionId, keyword, url, title, description, altText, imageKey } = task;
  if (title === null || description === null || altText === null || imageKey === null) {
    throw new AppError("internal", {
      cause: new Error(`Task ${task.id} cannot be finished, because it is incomplete.`),
    });
  }
  const texts = { title, description, altText, link: url, keyword };
  // Only AI-generated images are labeled as such.
  const source = task.imageSource === "page" ? "manual" : "ai";
  return { userId, accountId, boardId, boardSectionId, source, ...texts, imageKey, ...imageInfo };
};

const settlePin = (tx: Ctx, task: Task, imageInfo: ImageInfo): Promise<PinId | null> =>
  task.replacesPinId === null ? createDraft(tx, toDraft(task, imageInfo)) : replacePinImage(tx, { task, imageInfo });

const lockOpenTask = async (tx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .for("no key update");
  return open ? findTask(tx, taskId) : null;
};

type Finished = { result: FinishResult; link: string | null };

const finishOpen = async (tx: Ctx, taskId: string, imageInfo: ImageInfo): Promise<Finished> => {
  const task = await lockOpenTask(tx, taskId);
  if (!task) return { result: { kind: "already_finished" }, link: null };
  const pinId = await settlePin(tx, task, imageInfo);
  if (pinId === null) {
    await failTask(tx, { taskId, reason: TEXTS.imageUnwanted });
    return { result: { kind: "unwanted" }, link: null };
  }
  // `pinId` is unique, so a replaced pin is referred to by `replacesPinId` only.
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
  tx.log.set({ generation_ms: tx.now().getTime() - task.createdAt.getTime() });
  return { result: { kind: "finished", pinId }, link: task.url };
};

/**
 * Spends the credits in the same transaction. Idempotent.
 * @throws AppError `internal` when text or image are missing, or the credits were already returned
 */
export const finishTask = async (
  ctx: Ctx<"jobs" | "images" | "storage">,
  { taskId }: { taskId: string },
): Promise<FinishResult> => {
  const imageInfo = await describeImage(ctx, taskId);
  if (imageInfo === "unavailable") {
    await requeueForStorage(ctx, taskId);
    return { kind: "storage_down" };
  }
  const { result, link } = await inTransaction(ctx, (tx) => finishOpen(tx, taskId, imageInfo));
  await sendCheckEvents(ctx, { links: [link] });
  return result;
};

/** Returns the credits in one transaction. Idempotent. `reason` is shown; by default the last known problem. */
export const failTask = (
  ctx: Ctx,
  { taskId, reason }: { taskId: string; reason?: string },
): Promise<{ kind: "failed" | "already_finished" }> =>
  inTransaction(ctx, async (tx) => {
    const lastProblem = sql<string>`coalesce(${generationTasks.reason}, ${TEXTS.taskFailed})`;
    const [failed] = await tx.db
      .update(generationTasks)
      .set({ status: "FAILURE", reason: reason ?? lastProblem, finishedAt: tx.now() })
      .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
      .returning({ groupId: generationTasks.groupId });
    if (!failed) return { kind: "already_finished" };
    await settleReservation(tx, { reference: taskId, outcome: "release" });
    // The image may be in storage, or on its way there, even if the task does not know it.
    await orphanImage(tx, { imageKey: imageKeyOf(tx, taskId) });
    await tx.db.delete(heldImages).where(eq(heldImages.taskId, taskId));
    await closeGroup(tx, failed.groupId);
    tx.log.count("tasks_failed");
    return { kind: "failed" };
  });

export const giveUpTask = async (ctx: Ctx<"jobs">, { taskId }: { taskId: string }): ReturnType<typeof failTask> => {
  const failed = await failTask(ctx, { taskId });
  await dispatchTasks(ctx);
  return failed;
};

/**
 * `finished`: before this step. `no_slot` is not an attempt; `isTaken`: another run waits for a slot or holds one.
 * `storage_down`: the task waits in the queue, and its next dispatch starts another run.
 */
export type StepResult =
  | { kind: "stored" | "finished" | "failed" | "storage_down" }
  | { kind: "no_slot"; afterSeconds: number; isTaken: boolean }
  | { kind: "retry"; afterSeconds: number; text: string };

/** Retries, or fails the task at once, so that its credits do not wait for the other step. */
export const settleProblem = async (
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

/** Call it last in the transaction: the group's lock lets the later of two concurrent tasks see the other. */
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
  const [finished] = await tx.db
    .update(generationGroups)
    .set({ finishedAt: tx.now() })
    .where(and(eq(generationGroups.id, groupId), isNull(generationGroups.finishedAt), notExists(open)))
    .returning();
  if (!finished) return;
  const about = { userId: finished.userId, subject: groupId, occasion: "" };
  await recordWebhookEvent(tx, { ...about, type: "generation.finished", data: () => summarizeGroup(tx, finished) });
};

const summarizeGroup = async (
  tx: Ctx,
  { id, accountId, boardId, totalTasks }: typeof generationGroups.$inferSelect,
): Promise<WebhookData["generation.finished"]> => {
  const { status, pinId, replacesPinId, groupId, position } = generationTasks;
  const tasks = await tx.db
    .select({ status, pinId: sql<string | null>`coalesce(${pinId}, ${replacesPinId})` })
    .from(generationTasks)
    .where(eq(groupId, id))
    .orderBy(position);
  const having = (wanted: Task["status"]) => tasks.filter((task) => task.status === wanted);
  const made = having("SUCCESS");
  return {
    ...{ generation_id: id, account_id: accountId, board_id: boardId, total: totalTasks },
    ...{ succeeded: made.length, failed: having("FAILURE").length, canceled: having("REVOKED").length },
    pin_ids: made.flatMap((task) => task.pinId ?? []),
  };
};

/** `running` includes those that wait for a retry. */
interface OpenTasks {
  waiting: number;
  running: number;
}

/** Bounds the cost of the count. */
const COUNTED_MAX = 100_000;

export const countTasks = async (ctx: Ctx): Promise<OpenTasks> => {
  const [counted] = await ctx.db.execute<{ waiting: number; running: number }>(sql`
    select count(*) filter (where status = 'PENDING')::int as waiting,
      count(*) filter (where status <> 'PENDING')::int as running
    from (select status from ${generationTasks} where finished_at is null order by wake_at limit ${COUNTED_MAX}) open`);
  if (!counted) throw new Error("A count without a grouping has one row.");
  return counted;
};
