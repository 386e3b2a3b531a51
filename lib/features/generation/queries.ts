import "server-only";
import { and, asc, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { type AccountId, type GroupId, isId, type TaskId, type UserId } from "#lib/core/ids.ts";
import type { PinQuality } from "#lib/features/credits/constants.ts";
import { requireUserId } from "#lib/features/identity/policy.ts";

type TaskRow = typeof generationTasks.$inferSelect;

/** One keyword on its way to a draft, with what its group says. */
export type Task = Omit<TaskRow, "id" | "groupId" | "userId"> & {
  id: TaskId;
  groupId: GroupId;
  userId: UserId;
  accountId: AccountId;
  boardId: string;
  quality: PinQuality;
};

const TASK_COLUMNS = {
  ...getTableColumns(generationTasks),
  accountId: generationGroups.accountId,
  boardId: generationGroups.boardId,
  quality: generationGroups.quality,
};

/** Rows of these tables hold ids that `createId` made. */
const toTask = (row: TaskRow & { accountId: string; boardId: string; quality: PinQuality }): Task => row as Task;

/** A task by an id of ours; null when it is gone. */
export const findTask = async (ctx: Ctx, taskId: string): Promise<Task | null> => {
  const [row] = await ctx.db
    .select(TASK_COLUMNS)
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(eq(generationTasks.id, taskId));
  return row ? toTask(row) : null;
};

/**
 * A task's `wakeAt` when a sign of life is due by some moment. It never moves back: of a run's two steps, the one that
 * was asked to wait longer decides.
 */
export const wakeBy = (dueAt: Date) =>
  sql<Date>`greatest(${generationTasks.wakeAt}, ${dueAt.toISOString()}::timestamptz)`;

/** The tasks of the actor's group in start order; none for a foreign, absent or malformed id (R-TRK-16). One query. */
export const findGroupTasks = async (ctx: Ctx, groupId: string): Promise<Task[]> => {
  const userId = requireUserId(ctx);
  if (!isId("group", groupId)) return [];
  const rows = await ctx.db
    .select(TASK_COLUMNS)
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(and(eq(generationTasks.groupId, groupId), eq(generationGroups.userId, userId)))
    .orderBy(asc(generationTasks.position));
  return rows.map(toTask);
};

/** What the creator needs to show a group's progress again. */
export interface RunningGroup {
  groupId: GroupId;
  quality: PinQuality;
  totalTasks: number;
}

/** The actor's newest group that has not finished, for resuming after a reload (DESIGN §5.3). */
export const findRunningGroup = async (ctx: Ctx): Promise<RunningGroup | null> => {
  const [row] = await ctx.db
    .select({
      groupId: generationGroups.id,
      quality: generationGroups.quality,
      totalTasks: generationGroups.totalTasks,
    })
    .from(generationGroups)
    .where(and(eq(generationGroups.userId, requireUserId(ctx)), isNull(generationGroups.finishedAt)))
    .orderBy(desc(generationGroups.createdAt))
    .limit(1);
  // The id was made by `createId`.
  return row ? { ...row, groupId: row.groupId as GroupId } : null;
};
