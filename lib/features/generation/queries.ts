import "server-only";
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lt, max, ne, notExists, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { type AccountId, type GroupId, isId, type TaskId, type UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PinQuality } from "#lib/features/credits/constants.ts";
import type { ReservedFor } from "#lib/features/credits/policy.ts";
import { isPinOf } from "#lib/features/links/queries.ts";
import {
  MEASURED_MAX,
  MEASURED_WITHIN_MS,
  QUEUE_COUNT_MAX,
  SWEEPS_PER_RESTORE,
  type UnreadPageChoice,
  VARIANTS,
  type Variants,
} from "./constants.ts";

type TaskRow = typeof generationTasks.$inferSelect;

export type Task = Omit<TaskRow, "id" | "groupId" | "userId"> & {
  id: TaskId;
  groupId: GroupId;
  userId: UserId;
  accountId: AccountId;
  boardId: string;
  boardSectionId: string | null;
  quality: PinQuality;
  unreadPage: UnreadPageChoice;
};

const TASK_COLUMNS = {
  ...getTableColumns(generationTasks),
  accountId: generationGroups.accountId,
  boardId: generationGroups.boardId,
  boardSectionId: generationGroups.boardSectionId,
  quality: generationGroups.quality,
  unreadPage: generationGroups.unreadPage,
};

/** Safe, because all ids in these tables come from `createId`. */
const toTask = (
  row: TaskRow & Pick<Task, "boardId" | "boardSectionId" | "quality" | "unreadPage"> & { accountId: string },
): Task => row as Task;

export const findTask = async (ctx: Ctx, taskId: string): Promise<Task | null> => {
  const [row] = await ctx.db
    .select(TASK_COLUMNS)
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(eq(generationTasks.id, taskId));
  return row ? toTask(row) : null;
};

/** Never moves back: of a run's two parallel steps, the longer wait counts. */
export const wakeBy = (dueAt: Date) =>
  sql<Date>`greatest(${generationTasks.wakeAt}, ${dueAt.toISOString()}::timestamptz)`;

/** The first of the next event ids, whose resends are counted from zero. */
export const nextSweeps = sql<number>`(${generationTasks.sweeps} / ${SWEEPS_PER_RESTORE}::int + 1) * ${SWEEPS_PER_RESTORE}::int`;

/** After progress, resends are counted from zero, so that another loss of the engine is noticed as soon as the first. */
export const sweepsAfterProgress = sql<number>`case when ${generationTasks.sweeps} % ${SWEEPS_PER_RESTORE}::int = 0 then ${generationTasks.sweeps} else ${nextSweeps} end`;

export type TrackedTask = Pick<
  TaskRow,
  "id" | "status" | "keyword" | "url" | "title" | "description" | "imageKey" | "reason" | "replacesPinId" | "page"
>;

export interface Pace {
  quality: PinQuality;
  imageMs: number | null;
  /** With unfinished tasks, including this one. */
  users: number;
  othersTasks: number;
  earlierTasks: number;
  /** Of a start or success in this group; null while all tasks wait. */
  latestMs: number | null;
  /** On the database's clock. */
  nowMs: number;
}

/** In start order; `pace` is null when all have finished. */
export interface TrackedGroup {
  tasks: TrackedTask[];
  pace: Pace | null;
}

const params = { groupId: sql.placeholder("groupId"), userId: sql.placeholder("userId") };

/** Computed only in the first row, and not at all for a finished group. */
const paceOfGroup = () => {
  const since = sql`now() - make_interval(secs => ${MEASURED_WITHIN_MS / SECOND_MS})`;
  const isFirst = sql`${generationTasks.position} = (
    select min(position) from ${generationTasks} where group_id = ${params.groupId}
  )`;
  return sql<Pace | null>`case when ${generationGroups.finishedAt} is null and ${isFirst} then json_build_object(
    'quality', ${generationGroups.quality},
    'imageMs', (
      select percentile_cont(0.5) within group (order by recent.image_ms) from (
        select image_ms, group_id from ${generationTasks}
        where image_ms is not null and finished_at > ${since} order by finished_at desc limit ${MEASURED_MAX}
      ) as recent join ${generationGroups} as source on source.id = recent.group_id
      where source.quality = (select quality from ${generationGroups} where id = ${params.groupId})
    ),
    'latestMs', (
      select floor(extract(epoch from greatest(min(started_at), max(finished_at) filter (where status = 'SUCCESS')))
        * 1000) from ${generationTasks} where group_id = ${params.groupId}
    ),
    'nowMs', (select floor(extract(epoch from clock_timestamp()) * 1000)),
    'users', (select count(distinct user_id) from ${generationGroups} where finished_at is null),
    'othersTasks', (
      select count(*) from (
        select 1 from ${generationTasks} where finished_at is null and user_id <> ${params.userId} limit ${QUEUE_COUNT_MAX}
      ) as others
    ),
    'earlierTasks', (
      select count(*) from ${generationTasks} where finished_at is null and group_id in (
        select id from ${generationGroups} where user_id = ${params.userId} and finished_at is null and id <> ${params.groupId}
        and created_at <= (select created_at from ${generationGroups} where id = ${params.groupId})
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
      page: generationTasks.page,
      pace: paceOfGroup(),
    })
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(and(eq(generationTasks.groupId, params.groupId), eq(generationGroups.userId, params.userId)))
    .orderBy(asc(generationTasks.position))
    .prepare("tracked_group"),
);

/**
 * Pins that the account had for a link before a task, whatever their keywords: how many, and the newest one's title, if
 * possible of the same keyword.
 */
export const findEarlierPins = async (
  ctx: Ctx,
  { accountId, keyword, url, createdAt }: Pick<Task, "accountId" | "keyword" | "url" | "createdAt">,
): Promise<{ pins: number; title: string | null }> => {
  if (url === null) return { pins: 0, title: null };
  const isSame = and(
    eq(pins.accountId, accountId),
    isPinOf(url),
    ne(pins.status, "deleted"),
    lt(pins.createdAt, createdAt),
  );
  const [row] = await ctx.db
    .select({
      pins: sql<number>`count(*)::int`,
      title: sql<string | null>`(array_agg(${pins.title}
        order by coalesce(${pins.keyword} = ${keyword}, false) desc, ${pins.createdAt} desc, ${pins.id} desc))[1]`,
    })
    .from(pins)
    .where(isSame);
  return row ?? { pins: 0, title: null };
};

/** Tasks of the same generation that come before this one and use an image of the same page. */
export const countTakenImages = async (ctx: Ctx, { groupId, position, url }: Task): Promise<number> => {
  if (url === null) return 0;
  const usesImage = and(eq(generationTasks.url, url), eq(generationTasks.imageSource, "page"));
  const isBefore = and(eq(generationTasks.groupId, groupId), lt(generationTasks.position, position));
  return ctx.db.$count(generationTasks, and(isBefore, usesImage));
};

const RECENT_TITLES_MAX = 200;

/** An index finds these. A group is open while one of its tasks is. */
const isOpenGroup = (userId: UserId, accountId: AccountId) =>
  and(
    eq(generationGroups.userId, userId),
    isNull(generationGroups.finishedAt),
    eq(generationGroups.accountId, accountId),
  );

interface TitleOwner {
  userId: UserId;
  accountId: AccountId;
  keyword: string;
  /** Of a task, whose own title is left out. */
  id?: string;
  groupId?: string;
}

/** Of the account's newest pins, of its tasks that aren't pins yet, and of the other tasks of a group. */
export const findOtherTitles = async (
  ctx: Ctx,
  { userId, accountId, keyword, id = "", groupId = "" }: TitleOwner,
): Promise<{ title: string; hasSameKeyword: boolean }[]> => {
  const recent = ctx.db
    .select({ title: pins.title, keyword: pins.keyword })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), ne(pins.status, "deleted")))
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(RECENT_TITLES_MAX);
  const written = ctx.db
    .select({ title: sql<string>`${generationTasks.title}`, keyword: generationTasks.keyword })
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(
      and(
        isOpenGroup(userId, accountId),
        or(eq(generationTasks.groupId, groupId), isNull(generationTasks.finishedAt)),
        isNotNull(generationTasks.title),
        ne(generationTasks.id, id),
      ),
    );
  const found = [...(await written), ...(await recent)];
  const sameKeyword = keyword.toLowerCase();
  return found.map(({ title, keyword: other }) => ({ title, hasSameKeyword: other?.toLowerCase() === sameKeyword }));
};

/** Links of an account that pins are being generated for, which aren't drafts yet. */
export const findLinksInProgress = async (ctx: Ctx, userId: UserId, accountId: AccountId): Promise<string[]> => {
  const rows = await ctx.db
    .selectDistinct({ url: generationTasks.url })
    .from(generationTasks)
    .innerJoin(generationGroups, eq(generationGroups.id, generationTasks.groupId))
    .where(and(isOpenGroup(userId, accountId), isNull(generationTasks.finishedAt)));
  return rows.flatMap(({ url }) => url ?? []);
};

/** Without tasks for another user's, a missing or a malformed id. */
export const findTrackedGroup = async (ctx: Ctx, groupId: string): Promise<TrackedGroup> => {
  const userId = requireUserId(ctx);
  if (!isId("group", groupId)) return { tasks: [], pace: null };
  const rows = await trackedStatement(ctx.db).execute({ groupId, userId });
  return { tasks: rows, pace: rows[0]?.pace ?? null };
};

export interface RunningGroup {
  groupId: GroupId;
  accountId: string;
  boardId: string;
  quality: PinQuality;
  totalTasks: number;
}

/** Groups that only regenerate an image are skipped. */
export const findRunningGroup = async (ctx: Ctx): Promise<RunningGroup | null> => {
  const { groupId, replacesPinId } = generationTasks;
  const regenerating = ctx.db
    .select({ groupId })
    .from(generationTasks)
    .where(and(eq(groupId, generationGroups.id), isNotNull(replacesPinId)));
  const [row] = await ctx.db
    .select({
      groupId: generationGroups.id,
      accountId: generationGroups.accountId,
      boardId: generationGroups.boardId,
      quality: generationGroups.quality,
      totalTasks: generationGroups.totalTasks,
    })
    .from(generationGroups)
    .where(
      and(
        eq(generationGroups.userId, requireUserId(ctx)),
        isNull(generationGroups.finishedAt),
        notExists(regenerating),
      ),
    )
    .orderBy(desc(generationGroups.createdAt))
    .limit(1);
  return row ? { ...row, groupId: row.groupId as GroupId } : null;
};

const toVariants = (count: number): Variants => VARIANTS.find((one) => one === count) ?? 1;

/** How many pins per keyword each account's last generation had; an account without one is missing. */
export const findLastVariants = async (ctx: Ctx): Promise<Record<string, Variants>> => {
  const { groupId, variant, replacesPinId } = generationTasks;
  const written = ctx.db
    .select({ count: max(variant).as("count") })
    .from(generationTasks)
    .where(and(eq(groupId, generationGroups.id), isNull(replacesPinId)))
    .as("written");
  const last = ctx.db
    .select({ count: sql<number>`${written.count}`.as("last_count") })
    .from(generationGroups)
    .innerJoinLateral(written, isNotNull(written.count))
    .where(and(eq(generationGroups.userId, requireUserId(ctx)), eq(generationGroups.accountId, pinterestAccounts.id)))
    .orderBy(desc(generationGroups.createdAt))
    .limit(1)
    .as("last");
  const rows = await ctx.db
    .select({ accountId: pinterestAccounts.id, count: last.count })
    .from(pinterestAccounts)
    .innerJoinLateral(last, sql`true`)
    .where(eq(pinterestAccounts.userId, requireUserId(ctx)));
  return Object.fromEntries(rows.map(({ accountId, count }) => [accountId, toVariants(count)]));
};

/** Deleted tasks are missing. */
export const findReservedFor = async (
  ctx: Ctx,
  { userId, taskIds }: { userId: UserId; taskIds: readonly string[] },
): Promise<Map<string, ReservedFor>> => {
  if (taskIds.length === 0) return new Map();
  const { id, keyword, title, replacesPinId, reason, status } = generationTasks;
  const tasks = await ctx.db
    .select({ id, keyword, title, replacesPinId, reason, status })
    .from(generationTasks)
    .where(and(eq(generationTasks.userId, userId), isAnyOf(id, taskIds)));
  return new Map(
    tasks.map((task) => [
      task.id,
      {
        keyword: task.keyword,
        newImageFor: task.replacesPinId === null ? null : (task.title ?? task.keyword),
        reason: task.reason,
        isCanceled: task.status === "REVOKED",
      },
    ]),
  );
};
