import "server-only";
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, notExists, sql } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { type AccountId, type GroupId, isId, type TaskId, type UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PinQuality } from "#lib/features/credits/constants.ts";
import type { ReservedFor } from "#lib/features/credits/policy.ts";
import { LINE_MAX, MEASURED_MAX, MEASURED_WITHIN_MS } from "./constants.ts";

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

/** A task of a group as its progress shows it. */
export type TrackedTask = Pick<
  TaskRow,
  "id" | "status" | "keyword" | "url" | "title" | "description" | "imageKey" | "reason" | "replacesPinId"
>;

/** How fast pictures are drawn, and who else wants some: what the time remaining is estimated from. */
export interface Pace {
  quality: PinQuality;
  /** Half of the pictures of this quality that were drawn lately took no longer; null while none was measured. */
  drawingMs: number | null;
  /** Users with unfinished pins, this one included. */
  users: number;
  /** Unfinished pins of the others, and of this user's earlier groups. */
  othersTasks: number;
  earlierTasks: number;
  /** When the last thing happened in this group: its start, or a success; null while all wait. In milliseconds. */
  latestMs: number | null;
  /** When that was asked, by the database's clock, whose times the tasks have; in milliseconds. */
  nowMs: number;
}

/** A group's tasks in start order; `pace` is null when all have finished. */
export interface TrackedGroup {
  tasks: TrackedTask[];
  pace: Pace | null;
}

const asked = { groupId: sql.placeholder("groupId"), userId: sql.placeholder("userId") };

/** Once for the whole group, with its first task; nothing of it is asked for a group that is over. */
const paceOfGroup = () => {
  const since = sql`now() - make_interval(secs => ${MEASURED_WITHIN_MS / SECOND_MS})`;
  const isFirst = sql`${generationTasks.position} = (
    select min(position) from ${generationTasks} where group_id = ${asked.groupId}
  )`;
  return sql<Pace | null>`case when ${generationGroups.finishedAt} is null and ${isFirst} then json_build_object(
    'quality', ${generationGroups.quality},
    'drawingMs', (
      select percentile_cont(0.5) within group (order by recent.drawing_ms) from (
        select drawing_ms, group_id from ${generationTasks}
        where drawing_ms is not null and finished_at > ${since} order by finished_at desc limit ${MEASURED_MAX}
      ) as recent join ${generationGroups} as source on source.id = recent.group_id
      where source.quality = (select quality from ${generationGroups} where id = ${asked.groupId})
    ),
    'latestMs', (
      select floor(extract(epoch from greatest(min(started_at), max(finished_at) filter (where status = 'SUCCESS')))
        * 1000) from ${generationTasks} where group_id = ${asked.groupId}
    ),
    'nowMs', (select floor(extract(epoch from clock_timestamp()) * 1000)),
    'users', (select count(distinct user_id) from ${generationGroups} where finished_at is null),
    'othersTasks', (
      select count(*) from (
        select 1 from ${generationTasks} where finished_at is null and user_id <> ${asked.userId} limit ${LINE_MAX}
      ) as others
    ),
    'earlierTasks', (
      select count(*) from ${generationTasks} where finished_at is null and group_id in (
        select id from ${generationGroups} where user_id = ${asked.userId} and finished_at is null and id <> ${asked.groupId}
        and created_at <= (select created_at from ${generationGroups} where id = ${asked.groupId})
      )
    )
  ) end`;
};

const trackedStatement = preparedOnce((db) =>
  db
    .select({
      id: generationTasks.id,
      status: generationTasks.status,
      keyword: generationTasks.keyword,
      url: generationTasks.url,
      title: generationTasks.title,
      description: generationTasks.description,
      imageKey: generationTasks.imageKey,
      reason: generationTasks.reason,
      replacesPinId: generationTasks.replacesPinId,
      pace: paceOfGroup(),
    })
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(and(eq(generationTasks.groupId, asked.groupId), eq(generationGroups.userId, asked.userId)))
    .orderBy(asc(generationTasks.position))
    .prepare("tracked_group"),
);

/**
 * The actor's group with its tasks; no task for a foreign, absent or malformed id (R-TRK-16). One query (R-TRK-03),
 * whatever the size of the group.
 */
export const findTrackedGroup = async (ctx: Ctx, groupId: string): Promise<TrackedGroup> => {
  const userId = requireUserId(ctx);
  if (!isId("group", groupId)) return { tasks: [], pace: null };
  const rows = await trackedStatement(ctx.db).execute({ groupId, userId });
  return { tasks: rows, pace: rows[0]?.pace ?? null };
};

/** What the creator needs to show a group's progress again. */
export interface RunningGroup {
  groupId: GroupId;
  quality: PinQuality;
  totalTasks: number;
}

/** The actor's newest group of new pins that has not finished, for resuming after a reload (DESIGN §5.3). */
export const findRunningGroup = async (ctx: Ctx): Promise<RunningGroup | null> => {
  const { groupId, replacesPinId } = generationTasks;
  const remade = ctx.db
    .select({ groupId })
    .from(generationTasks)
    .where(and(eq(groupId, generationGroups.id), isNotNull(replacesPinId)));
  const [row] = await ctx.db
    .select({
      groupId: generationGroups.id,
      quality: generationGroups.quality,
      totalTasks: generationGroups.totalTasks,
    })
    .from(generationGroups)
    .where(and(eq(generationGroups.userId, requireUserId(ctx)), isNull(generationGroups.finishedAt), notExists(remade)))
    .orderBy(desc(generationGroups.createdAt))
    .limit(1);
  // The id was made by `createId`.
  return row ? { ...row, groupId: row.groupId as GroupId } : null;
};

/**
 * What credits of a user were reserved for, by the ids of those tasks that are kept. The ids travel as one parameter:
 * a ledger is kept for good, and a statement takes 65,535 of them.
 */
export const findReservedFor = async (
  ctx: Ctx,
  { userId, taskIds }: { userId: UserId; taskIds: readonly string[] },
): Promise<Map<string, ReservedFor>> => {
  if (taskIds.length === 0) return new Map();
  const { id, keyword, title, replacesPinId, reason, status } = generationTasks;
  const among = sql`${id} in (select jsonb_array_elements_text(${JSON.stringify(taskIds)}::jsonb))`;
  const tasks = await ctx.db
    .select({ id, keyword, title, replacesPinId, reason, status })
    .from(generationTasks)
    .where(and(eq(generationTasks.userId, userId), among));
  return new Map(
    tasks.map((task) => [
      task.id,
      {
        keyword: task.keyword,
        newPictureFor: task.replacesPinId === null ? null : (task.title ?? task.keyword),
        reason: task.reason,
        isCancelled: task.status === "REVOKED",
      },
    ]),
  );
};
