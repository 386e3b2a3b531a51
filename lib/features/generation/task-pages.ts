import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { hostOf } from "#lib/features/links/policy.ts";
import { summaryOf, toPageWire, unreadText } from "#lib/features/pages/policy.ts";
import { type PageAttempt, readPage } from "#lib/features/pages/readings.ts";
import { type PageReading, type PageWire, pageSummary, type UnreadPage } from "#lib/features/pages/schema.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { readPageOfMany } from "#lib/features/sites/requests.ts";
import { PAGE_WAIT_MAX_MS, stoppedText, TYPED_PAGES_MAX } from "./constants.ts";
import type { Task } from "./queries.ts";
import type { RegenerationInput } from "./schema.ts";
import { dispatchTasks, extendWait } from "./task-queue.ts";
import { withHeartbeat } from "./task-recovery.ts";
import { failTask, startTask } from "./tasks.ts";

/** `later`: its site is at its limit, which is not an attempt. `ended`: the task finished or was stopped. */
type PageStep = { kind: "ready" | "ended" } | { kind: "later"; afterSeconds: number };

export const BUSY: UnreadPage = { kind: "unread", reason: "busy", status: null };

const isStopped = ({ unreadPage }: Task, reading: PageReading): reading is UnreadPage =>
  reading.kind === "unread" && unreadPage === "stop";

/** For a task whose user wants no draft without its page. Returns the credits. */
const stopTask = (ctx: Ctx, taskId: string, reading: UnreadPage) =>
  failTask(ctx, { taskId, reason: stoppedText(unreadText(reading)) });

/** A few URLs were typed or chosen one by one; more pages of a host are read as a program reads a site. */
const readOwnPage = async (ctx: Ctx<"links">, groupId: string, url: string): Promise<PageAttempt> => {
  const rows = await ctx.db
    .selectDistinct({ url: generationTasks.url })
    .from(generationTasks)
    .where(eq(generationTasks.groupId, groupId));
  const pages = rows.filter((row) => row.url !== null && hostOf(row.url) === hostOf(url));
  return pages.length > TYPED_PAGES_MAX ? readPageOfMany(ctx, { url }) : readPage(ctx, { url, keepsPlace: true });
};

interface TaskPageInput {
  taskId: string;
  /** How long this run has waited for the page's site so far. */
  waitedSeconds: number;
}

const readAndStore = async (ctx: Ctx<"links">, { taskId, waitedSeconds }: TaskPageInput): Promise<PageStep> => {
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "ended" };
  if (task.url === null || task.title !== null || task.page !== null) return { kind: "ready" };
  const found = await readOwnPage(ctx, task.groupId, task.url);
  const afterSeconds = found.kind === "later" ? Math.max(1, Math.ceil(found.afterMs / SECOND_MS)) : 0;
  if (found.kind === "later" && (waitedSeconds + afterSeconds) * SECOND_MS <= PAGE_WAIT_MAX_MS) {
    await extendWait(ctx, { taskId, seconds: afterSeconds });
    return { kind: "later", afterSeconds };
  }
  const reading = found.kind === "later" ? BUSY : found;
  if (isStopped(task, reading)) {
    await stopTask(ctx, taskId, reading);
    return { kind: "ended" };
  }
  await ctx.db
    .update(generationTasks)
    .set({ page: summaryOf(reading) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.page), isNull(generationTasks.finishedAt)));
  return { kind: "ready" };
};

/**
 * Reads the page of a task before its text is written. Idempotent: a page that was read lately isn't requested again.
 * A page whose site is at its limit keeps its place there; after an hour of waiting it counts as unread.
 */
export const readTaskPage = async (ctx: Ctx<"links" | "jobs">, input: TaskPageInput): Promise<PageStep> => {
  const ended = await withHeartbeat(ctx, input.taskId, () => readAndStore(ctx, input));
  if (ended.kind === "ended") await dispatchTasks(ctx);
  return ended;
};

/** What an own pin's text was written from; null when it has no page, or its generation was deleted. @throws `not_found` */
export const readPinPage = async (ctx: Ctx, { pinId }: RegenerationInput): Promise<PageWire | null> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  const [row] = await ctx.db
    .select({ page: generationTasks.page })
    .from(generationTasks)
    .where(eq(generationTasks.pinId, pin.id));
  const summary = pageSummary.safeParse(row?.page).data;
  return summary ? toPageWire(summary) : null;
};

/**
 * The reading that a task's text is written from; null without a page. It is kept for a day only, so a task that waited
 * longer reads its page again. `stopped`: it can't be used by now, and the task failed for it.
 */
export const findTaskReading = async (ctx: Ctx<"links">, task: Task): Promise<PageReading | null | "stopped"> => {
  const summary = pageSummary.safeParse(task.page).data;
  if (task.url === null || !summary) return null;
  if (summary.kind === "unread") return summary;
  const found = await readOwnPage(ctx, task.groupId, task.url);
  const reading = found.kind === "later" ? BUSY : found;
  if (!isStopped(task, reading)) return reading;
  await stopTask(ctx, task.id, reading);
  return "stopped";
};
