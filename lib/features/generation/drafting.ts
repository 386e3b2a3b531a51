import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, type ErrorCode, requireUserId } from "#lib/core/errors.ts";
import type { AccountId, UserId } from "#lib/core/ids.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findImageStyle, findVoice } from "#lib/features/branding/voice.ts";
import { type CopyFault, rejectedText } from "#lib/features/copywriting/constants.ts";
import { sameTitles } from "#lib/features/copywriting/review.ts";
import { type GroundedCopy, writeGroundedCopy } from "#lib/features/copywriting/writing.ts";
import { countShared } from "#lib/features/limits/shared-counts.ts";
import { summaryOf, unreadText } from "#lib/features/pages/policy.ts";
import { findReading, readPage } from "#lib/features/pages/readings.ts";
import type { PageReading } from "#lib/features/pages/schema.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { findStorageOutage, readImage, storeImage } from "#lib/features/pins/storage-outages.ts";
import type { AiProblem, PinCopy } from "#lib/integrations/ai/port.ts";
import { TEXTS, TITLE_ROUNDS_MAX, UNCONFIRMED_TEXTS_A_DAY } from "./constants.ts";
import { type HeldSlot, type SlotOutcome, withImageSlot } from "./image-slots.ts";
import { findVariationNumber, imageKeyOf } from "./images.ts";
import { takePageImage } from "./page-images.ts";
import { canRegenerateImage } from "./policy.ts";
import { findEarlierPins, findOtherTitles, sweepsAfterProgress, type Task } from "./queries.ts";
import type { PreviewTextInput, SuggestTextInput, TextPreview } from "./schema.ts";
import { holdImage, requeueForStorage, storeHeldImage } from "./storage-waits.ts";
import { BUSY, findTaskReading } from "./task-pages.ts";
import { dispatchTasks, extendWait } from "./task-queue.ts";
import { withHeartbeat } from "./task-recovery.ts";
import { failTask, type StepResult, settleProblem, startTask } from "./tasks.ts";

interface CopySubject {
  accountId: AccountId;
  userId: UserId;
  keyword: string;
  url: string | null;
  reading: PageReading | null;
}

const copyRequest = async (ctx: Ctx, { accountId, userId, keyword, url, reading }: CopySubject) => ({
  ...{ keyword, url, facts: reading?.kind === "read" ? reading.facts : null },
  ...{ voice: await findVoice(ctx, accountId), safetyId: sha256(userId) },
});

interface WrittenCopy {
  copy: PinCopy;
  reading: PageReading | null;
  /** Titles that it was compared with already. */
  compared: ReadonlySet<string>;
}

/** `repeated`: other tasks got these titles meanwhile. */
type Repeated = { kind: "repeated"; titles: string[] };

/** One task of an account at a time, so that of texts that are written at once, only one keeps a title. */
const storeCopy = (ctx: Ctx, task: Task, { copy, reading, compared }: WrittenCopy): Promise<StepResult | Repeated> =>
  inTransaction(ctx, async (tx) => {
    const { id, accountId, keyword } = task;
    await tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('account_titles'), hashtext(${accountId}))`);
    const otherTitles = (await findOtherTitles(tx, task)).flatMap(({ title }) => (compared.has(title) ? [] : title));
    const titles = sameTitles(copy.title, { keyword, otherTitles });
    if (titles.length > 0) return { kind: "repeated", titles };
    await tx.db
      .update(generationTasks)
      .set({ ...copy, page: reading && summaryOf(reading), sweeps: sweepsAfterProgress })
      .where(and(eq(generationTasks.id, id), isNull(generationTasks.title), isNull(generationTasks.finishedAt)));
    return { kind: "stored" };
  });

const rejectCopy = async (ctx: Ctx, taskId: string, fault: CopyFault): Promise<StepResult> => {
  ctx.log.set({ copy_fault: fault });
  await failTask(ctx, { taskId, reason: rejectedText(fault) });
  return { kind: "failed" };
};

/** @param taken titles that earlier texts of this task repeated, for the model to see */
const writeOnce = async (
  ctx: Ctx<"ai" | "links">,
  { taskId, attempt, taken }: { taskId: string; attempt: number; taken: readonly string[] },
): Promise<StepResult | Repeated> => {
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.title !== null) return { kind: "stored" };
  const reading = await findTaskReading(ctx, task);
  if (reading === "stopped") return { kind: "failed" };
  const { title: insteadOf } = await findEarlierPins(ctx, task);
  const known = await findOtherTitles(ctx, task);
  const otherTitles = [...taken.map((title) => ({ title, hasSameKeyword: true })), ...known];
  // It may be older than those, and the model gets to see it anyway.
  if (insteadOf) otherTitles.push({ title: insteadOf, hasSameKeyword: false });
  const outcome = await writeGroundedCopy(ctx, {
    ...(await copyRequest(ctx, { ...task, reading })),
    ...{ variant: task.variant, otherTitles },
    ...(insteadOf && { insteadOf }),
  });
  if (outcome.kind === "problem") return settleProblem(ctx, { taskId, attempt, problem: outcome.problem });
  if (outcome.kind === "rejected") return rejectCopy(ctx, taskId, outcome.fault);
  const compared = new Set(otherTitles.map(({ title }) => title));
  return storeCopy(ctx, task, { copy: outcome.copy, reading, compared });
};

const writeAndStoreCopy = async (
  ctx: Ctx<"ai" | "links">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const taken: string[] = [];
  for (let round = 0; round < TITLE_ROUNDS_MAX; round += 1) {
    const result = await writeOnce(ctx, { ...input, taken });
    if (result.kind !== "repeated") return result;
    taken.push(...result.titles);
    ctx.log.count("copy_repairs");
  }
  return rejectCopy(ctx, input.taskId, "near_duplicate");
};

/** Idempotent: no model is called when they are stored or the task has finished. `attempt` counts from 0. */
export const writeTaskCopy = async (
  ctx: Ctx<"ai" | "jobs" | "links">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const ended = await withHeartbeat(ctx, input.taskId, () => writeAndStoreCopy(ctx, input));
  if (ended.kind === "failed") await dispatchTasks(ctx);
  return ended;
};

type ImageCtx = Ctx<"ai" | "images" | "storage">;

/**
 * `generated`: maybe by an earlier run. `not_needed`: the task ended. `unwanted`: its pin was scheduled or deleted.
 * `storage_down`: not called, or called and its image held.
 */
type ImageResult =
  | { kind: "generated"; imageMs: number | null }
  | { kind: "not_needed" }
  | { kind: "unwanted" }
  | { kind: "storage_down" }
  | { kind: "problem"; problem: AiProblem };

const done = (result: ImageResult): SlotOutcome<ImageResult> => ({ kind: "done", result });

/** Never overwrites a stored image, because its URL is cached forever. */
const storeOnce = async (ctx: ImageCtx, imageKey: string, jpeg: Uint8Array): Promise<"stored" | "unavailable"> => {
  const found = await readImage(ctx, imageKey);
  if (found === "unavailable") return found;
  return found === "missing" ? storeImage(ctx, imageKey, jpeg) : "stored";
};

const storeOrHold = async (
  ctx: ImageCtx,
  { taskId, imageKey }: { taskId: string; imageKey: string },
  jpeg: Uint8Array,
): Promise<"stored" | "storage_down"> => {
  if ((await storeOnce(ctx, imageKey, jpeg)) !== "unavailable") return "stored";
  await holdImage(ctx, { taskId, jpeg });
  return "storage_down";
};

const prepareAndStore = async (
  ctx: ImageCtx,
  { taskId, imageKey }: { taskId: string; imageKey: string },
  image: Uint8Array,
  sinceMs: number,
): Promise<ImageResult> => {
  const prepared = await ctx.images.preparePin(image, ctx.settings.pinCanvas);
  if (!prepared) {
    const text = "The AI returned an image we couldn't read. Please try again.";
    return { kind: "problem", problem: { kind: "unusable", text } };
  }
  const kind = await storeOrHold(ctx, { taskId, imageKey }, prepared.jpeg);
  return kind === "storage_down" ? { kind } : { kind: "generated", imageMs: Math.round(performance.now() - sinceMs) };
};

/** Instead of a generated image, so no slot is needed. */
const takeAndStore = async (
  ctx: ImageCtx & Ctx<"links">,
  task: Task,
  imageKey: string,
): Promise<ImageResult | NoSlot> => {
  const taken = await takePageImage(ctx, task);
  if (taken.kind === "stopped") return { kind: "not_needed" };
  if (taken.kind === "problem") return taken;
  const kind = await storeOrHold(ctx, { taskId: task.id, imageKey }, taken.jpeg);
  return kind === "storage_down" ? { kind } : { kind: "generated", imageMs: null };
};

/** The wait may be long, so everything is checked again right before the image is paid for. */
const generateInSlot = async (
  ctx: ImageCtx,
  task: Task,
  imageKey: string,
  slot: HeldSlot,
): Promise<SlotOutcome<ImageResult>> => {
  const found = await readImage(ctx, imageKey);
  if (found === "unavailable") return done({ kind: "storage_down" });
  if (found !== "missing") return done({ kind: "generated", imageMs: null });
  if (!(await startTask(ctx, task.id))) return done({ kind: "not_needed" });
  const variation = await findVariationNumber(ctx, task);
  if (variation === null) return done({ kind: "unwanted" });
  const { keyword, quality, userId } = task;
  const style = await findImageStyle(ctx, task.accountId);
  const sinceMs = performance.now();
  const outcome = await ctx.ai.generateImage({
    keyword,
    quality,
    safetyId: sha256(userId),
    variation,
    ...(style && { style }),
    signal: slot.signal,
  });
  if (outcome.kind === "problem") {
    const { problem } = outcome;
    return problem.kind === "busy" ? { kind: "paused", waitMs: problem.retryAfterMs } : done(outcome);
  }
  await slot.release();
  return done(await prepareAndStore(ctx, { taskId: task.id, imageKey }, outcome.image, sinceMs));
};

interface RecordedImage {
  taskId: string;
  imageKey: string;
  /** Null when it was not measured. */
  imageMs: number | null;
}

const recordImage = async (ctx: Ctx, { taskId, imageKey, imageMs }: RecordedImage): Promise<StepResult> => {
  const { imageKey: before, sweeps } = generationTasks;
  const open = await ctx.db
    .update(generationTasks)
    .set({ imageKey, imageMs, sweeps: sql`case when ${before} is null then ${sweepsAfterProgress} else ${sweeps} end` })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return { kind: open.length > 0 ? "stored" : "finished" };
};

const waitForStorage = async (ctx: Ctx, taskId: string): Promise<StepResult> => {
  await requeueForStorage(ctx, taskId);
  return { kind: "storage_down" };
};

type NoSlot = Extract<StepResult, { kind: "no_slot" }>;

const leaseAndGenerate = async (ctx: ImageCtx, task: Task, imageKey: string): Promise<ImageResult | NoSlot> => {
  const request = { reference: task.id, userId: task.userId, requestedAt: task.calledAt ?? task.createdAt };
  const leased = await withImageSlot(ctx, request, (slot) => generateInSlot(ctx, task, imageKey, slot));
  return leased.kind === "no_slot" ? leased : leased.result;
};

const generateAndStore = async (
  ctx: ImageCtx & Ctx<"links">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.imageKey !== null) return { kind: "stored" };
  if (await findStorageOutage(ctx)) return waitForStorage(ctx, taskId);
  const imageKey = imageKeyOf(ctx, task.id);
  const held = await storeHeldImage(ctx, { taskId, imageKey });
  if (held === "unavailable") return waitForStorage(ctx, taskId);
  if (held === "stored") return recordImage(ctx, { taskId, imageKey, imageMs: null });
  const outcome = await (task.imageSource === "page" ? takeAndStore : leaseAndGenerate)(ctx, task, imageKey);
  if (outcome.kind === "no_slot") {
    await extendWait(ctx, { taskId, seconds: outcome.afterSeconds });
    return outcome;
  }
  if (outcome.kind === "problem") return settleProblem(ctx, { taskId, attempt, problem: outcome.problem });
  if (outcome.kind === "storage_down") return waitForStorage(ctx, taskId);
  if (outcome.kind === "not_needed") return { kind: "finished" };
  if (outcome.kind === "unwanted") {
    await failTask(ctx, { taskId, reason: TEXTS.imageUnwanted });
    return { kind: "failed" };
  }
  return recordImage(ctx, { taskId, imageKey, imageMs: outcome.imageMs });
};

/** Idempotent: a stored image is not generated again. `attempt` counts from 0, without waits for a slot. */
export const generateTaskImage = async (
  ctx: ImageCtx & Ctx<"jobs" | "links">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const ended = await withHeartbeat(ctx, input.taskId, () => generateAndStore(ctx, input));
  await dispatchTasks(ctx);
  return ended;
};

const CODE = {
  refused: "refused",
  unusable: "provider_failed",
  misconfigured: "provider_unavailable",
  busy: "provider_unavailable",
  later: "provider_unavailable",
} as const satisfies Record<AiProblem["kind"], ErrorCode>;

const throwProblem = (ctx: Ctx, outcome: Exclude<GroundedCopy, { kind: "written" }>): never => {
  if (outcome.kind === "rejected") {
    ctx.log.set({ copy_fault: outcome.fault });
    throw new AppError("provider_failed", { text: rejectedText(outcome.fault) });
  }
  const { kind, text, detail } = outcome.problem;
  ctx.log.set({ ai_problem: kind, ai_detail: detail });
  throw new AppError(CODE[kind], { text });
};

/** Each costs a model call, so without a confirmed email there are few a day. @throws AppError `email_unconfirmed` */
const countFreeText = async (ctx: Ctx): Promise<void> => {
  const userId = requireUserId(ctx);
  const [user] = await ctx.db.select({ confirmedAt: users.emailVerifiedAt }).from(users).where(eq(users.id, userId));
  if (user?.confirmedAt) return;
  const { calls } = await countShared(ctx, { name: "unconfirmed-text", subject: userId, windowMs: DAY_MS });
  if (calls > UNCONFIRMED_TEXTS_A_DAY) throw new AppError("email_unconfirmed");
};

/**
 * The text that a row of the creator would get, without storing it. No credits. The pin's own text is written anew.
 * @throws AppError `not_found` for another user's account, `email_unconfirmed`, `refused`, `provider_failed`,
 * `provider_unavailable`
 */
export const previewText = async (ctx: Ctx<"ai" | "links">, input: PreviewTextInput): Promise<TextPreview> => {
  const { keyword, url } = input;
  const { id: accountId } = await requireOwnedAccount(ctx, input.accountId);
  await countFreeText(ctx);
  const userId = requireUserId(ctx);
  const found = url === null ? null : await readPage(ctx, { url });
  const reading = found?.kind === "later" ? BUSY : found;
  const outcome = await writeGroundedCopy(ctx, {
    ...(await copyRequest(ctx, { accountId, userId, keyword, url, reading })),
    otherTitles: await findOtherTitles(ctx, { userId, accountId, keyword }),
  });
  if (outcome.kind !== "written") return throwProblem(ctx, outcome);
  const { title, description } = outcome.copy;
  return { title, description, problem: reading?.kind === "unread" ? unreadText(reading) : null };
};

/**
 * No credits. @throws AppError `not_found`, `wrong_state`, `email_unconfirmed`, `refused`, `provider_failed`,
 * `provider_unavailable`
 */
export const suggestText = async (ctx: Ctx<"ai">, input: SuggestTextInput): Promise<{ text: string }> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  if (!canRegenerateImage(pin)) throw new AppError("wrong_state", { text: TEXTS.notRegenerable });
  await countFreeText(ctx);
  // A suggestion doesn't wait for a page, so it uses one only if it was read lately.
  const reading = pin.link === null ? null : await findReading(ctx, { url: pin.link });
  const { accountId, userId, link: url } = pin;
  const keyword = pin.keyword ?? pin.title;
  const outcome = await writeGroundedCopy(ctx, {
    ...(await copyRequest(ctx, { accountId, userId, keyword, url, reading })),
    // A new description keeps its title.
    ...(input.part === "title" && { otherTitles: await findOtherTitles(ctx, { userId, accountId, keyword }) }),
    insteadOf: input.instead,
    part: input.part,
  });
  if (outcome.kind === "written") return { text: outcome.copy[input.part] };
  return throwProblem(ctx, outcome);
};
