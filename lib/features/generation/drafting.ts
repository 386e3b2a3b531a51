import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, type ErrorCode } from "#lib/core/errors.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { TEXTS } from "./constants.ts";
import { type Drawing, holdPlace, type Place } from "./image-slots.ts";
import { countTake, nameImage } from "./images.ts";
import { mayBeRemade } from "./policy.ts";
import type { Task } from "./queries.ts";
import type { SuggestWordsInput } from "./schema.ts";
import { callUpTasks, noteWait } from "./task-queue.ts";
import { failTask, type StepResult, startTask, weighProblem } from "./tasks.ts";

const writeAndStore = async (ctx: Ctx<"ai">, input: { taskId: string; attempt: number }): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.title !== null) return { kind: "stored" };
  const { keyword, url, userId } = task;
  const outcome = await ctx.ai.writeCopy({ keyword, address: url, safetyId: sha256(userId) });
  if (outcome.kind === "problem") return weighProblem(ctx, { taskId, attempt, problem: outcome.problem });
  await ctx.db
    .update(generationTasks)
    .set(outcome.copy)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.title), isNull(generationTasks.finishedAt)));
  return { kind: "stored" };
};

/**
 * Has the words of a task's pin written and stores them (DESIGN §5.2). Running it again is harmless: with words
 * stored, or the task finished, it asks nobody. When the task fails here, the next is called up. `attempt` counts the tries of this step from 0.
 */
export const writeTaskCopy = async (
  ctx: Ctx<"ai" | "jobs">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const ended = await writeAndStore(ctx, input);
  if (ended.kind === "failed") await callUpTasks(ctx);
  return ended;
};

type DrawCtx = Ctx<"ai" | "pictures" | "storage">;

/**
 * `drawn`: the picture lies in the storage, drawn now or by a run that died; `not_needed`: the task ended while it
 * waited for its turn; `unwanted`: the pin that was to get it was scheduled or deleted by then.
 */
type Drawn =
  | { kind: "drawn"; drawingMs: number | null }
  | { kind: "not_needed" }
  | { kind: "unwanted" }
  | { kind: "problem"; problem: AiProblem };

const done = (result: Drawn): Drawing<Drawn> => ({ kind: "done", result });

/** The place keeps its picture: its address is cached for ever. */
const prepare = async (ctx: DrawCtx, imageKey: string, image: Uint8Array, sinceMs: number): Promise<Drawn> => {
  const prepared = await ctx.pictures.preparePin(image, ctx.settings.pinCanvas);
  if (!prepared) {
    const text = "The image model sent a picture that cannot be read.";
    return { kind: "problem", problem: { kind: "unusable", text } };
  }
  if (!(await ctx.storage.get(imageKey))) await ctx.storage.put(imageKey, prepared.jpeg);
  return { kind: "drawn", drawingMs: Math.round(performance.now() - sinceMs) };
};

/** The line may be long: what is wanted is asked again once there is a place, right before the picture is paid for. */
const drawIn = async (ctx: DrawCtx, task: Task, imageKey: string, place: Place): Promise<Drawing<Drawn>> => {
  if (await ctx.storage.get(imageKey)) return done({ kind: "drawn", drawingMs: null });
  if (!(await startTask(ctx, task.id))) return done({ kind: "not_needed" });
  const take = await countTake(ctx, task);
  if (take === null) return done({ kind: "unwanted" });
  const { keyword, quality, userId } = task;
  const sinceMs = performance.now();
  const outcome = await ctx.ai.drawPin({ keyword, quality, safetyId: sha256(userId), take, signal: place.signal });
  if (outcome.kind === "problem") {
    const { problem } = outcome;
    return problem.kind === "busy" ? { kind: "paused", waitMs: problem.retryAfterMs } : done(outcome);
  }
  await place.handOn();
  return done(await prepare(ctx, imageKey, outcome.image, sinceMs));
};

const drawAndStore = async (ctx: DrawCtx, input: { taskId: string; attempt: number }): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.imageKey !== null) return { kind: "stored" };
  const imageKey = nameImage(ctx, task.id);
  const wanted = { reference: task.id, userId: task.userId, askedAt: task.calledAt ?? task.createdAt };
  const held = await holdPlace(ctx, wanted, (place) => drawIn(ctx, task, imageKey, place));
  if (held.kind === "no_place") {
    await noteWait(ctx, { taskId, seconds: held.afterSeconds });
    return held;
  }
  const drawn = held.result;
  if (drawn.kind === "problem") return weighProblem(ctx, { taskId, attempt, problem: drawn.problem });
  if (drawn.kind === "not_needed") return { kind: "finished" };
  if (drawn.kind === "unwanted") {
    await failTask(ctx, { taskId, reason: TEXTS.pictureUnwanted });
    return { kind: "failed" };
  }
  const open = await ctx.db
    .update(generationTasks)
    .set({ imageKey, drawingMs: drawn.drawingMs })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return { kind: open.length > 0 ? "stored" : "finished" };
};

/**
 * Has the picture of a task's pin drawn, fitted to the canvas, stored (DESIGN §5.2, A-15, D10); then the next task is
 * called up. Running it again is harmless: a picture that is stored is not drawn again, and only the holder of the
 * task's lease draws. `attempt` counts the tries of this step from 0; a round that finds no place to draw is none.
 */
export const drawTaskImage = async (
  ctx: DrawCtx & Ctx<"jobs">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const ended = await drawAndStore(ctx, input);
  await callUpTasks(ctx);
  return ended;
};

const CODE = {
  refused: "refused",
  unusable: "provider_failed",
  misconfigured: "provider_unavailable",
  busy: "provider_unavailable",
  later: "provider_unavailable",
} as const satisfies Record<AiProblem["kind"], ErrorCode>;

/**
 * Another title or description for a draft or failed pin, as a suggestion: nothing is changed and no credit is spent.
 * @throws AppError `not_found`; `wrong_state`; `refused` by moderation; `provider_failed`, `provider_unavailable`.
 */
export const suggestWords = async (ctx: Ctx<"ai">, input: SuggestWordsInput): Promise<{ text: string }> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  if (!mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.notRemakable });
  const outcome = await ctx.ai.writeCopy({
    keyword: pin.keyword ?? pin.title,
    address: pin.link,
    safetyId: sha256(pin.userId),
    insteadOf: input.instead,
  });
  if (outcome.kind === "written") return { text: outcome.copy[input.part] };
  const { kind, text, detail } = outcome.problem;
  ctx.log.set({ ai_problem: kind, ai_detail: detail });
  throw new AppError(CODE[kind], { text });
};
