import { and, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { brandKits } from "#db/schema/branding.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import {
  MAX_EXTRA_TASKS,
  MIN_TASKS_PER_USER,
  TASKS_PER_SLOT,
  UNSENT_AFTER_MS,
} from "#lib/features/generation/constants.ts";
import { sendTaskEvents } from "#lib/features/generation/task-queue.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";

/** The statement that dispatched tasks until 2026-11-25: it locked up to a full capacity of tasks of each user. */
const claimBefore = async (tx: Ctx): Promise<{ id: string; sweeps: number }[]> => {
  const limit = TASKS_PER_SLOT * tx.settings.imageConcurrency;
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('generation_seats', 0))`);
  const called = await tx.db.execute<{ id: string; sweeps: number }>(sql`
    with active as (
      select user_id, count(*)::int as tasks from ${generationTasks}
      where called_at is not null and finished_at is null and image_key is null and status <> 'RETRY'
      group by user_id
    ), next as (
      select task.*, coalesce(active.tasks, 0)
        + row_number() over (partition by user_id order by created_at, position, id) as turn
      from (select distinct user_id from ${generationGroups} where finished_at is null) as working
      cross join lateral (
        select id, created_at, position from ${generationTasks}
        where user_id = working.user_id and called_at is null and finished_at is null
        order by created_at, position limit ${limit}
        for no key update skip locked
      ) as task
      left join active using (user_id)
    ), numbered as (
      select id, turn, (select coalesce(sum(tasks), 0) from active)
        + row_number() over (order by turn, created_at, position, id) as place
      from next
    ), called as (
      update ${generationTasks}
      set called_at = ${tx.now().toISOString()}, wake_at = ${addMs(tx.now(), UNSENT_AFTER_MS).toISOString()}
      where id in (
        select id from numbered
        where place <= ${limit} or (turn <= ${MIN_TASKS_PER_USER} and place <= ${limit + MAX_EXTRA_TASKS})
      )
      returning id, sweeps
    )
    select id, sweeps from called join numbered using (id) order by place`);
  return [...called];
};

/** `dispatchTasks` with that statement. */
export const dispatchBefore = async (ctx: Ctx<"jobs">): Promise<string[]> => {
  const ids = (await inTransaction(ctx, claimBefore)).map(({ id }) => id);
  await sendTaskEvents(ctx, { taskIds: ids, sweep: 0 });
  return ids;
};

/** The image clean-up until then: one look-up of all keys, and one deletion after the other. */
export const purgeImagesBefore = async (ctx: Ctx<"storage">, max: number): Promise<number> => {
  const through = addMs(ctx.now(), -RETENTION_MS.orphanedImage);
  const rows = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(lte(orphanedImages.since, through))
    .orderBy(orphanedImages.since)
    .limit(max);
  const due = rows.map(({ key }) => key);
  const keyOf = (column: typeof pins.imageKey | typeof pins.baseImageKey | typeof brandKits.logoKey) => ({
    key: sql<string | null>`${column}`,
  });
  const tasks = generationTasks.imageKey;
  const found = await unionAll(
    ctx.db.select(keyOf(pins.imageKey)).from(pins).where(inArray(pins.imageKey, due)),
    ctx.db.select(keyOf(pins.baseImageKey)).from(pins).where(inArray(pins.baseImageKey, due)),
    ctx.db
      .select({ key: sql<string | null>`${tasks}` })
      .from(generationTasks)
      .where(and(inArray(tasks, due), isNull(generationTasks.finishedAt))),
    ctx.db.select(keyOf(brandKits.logoKey)).from(brandKits).where(inArray(brandKits.logoKey, due)),
  );
  const inUse = new Set(found.map(({ key }) => key));
  const unused = due.filter((key) => !inUse.has(key));
  for (const imageKey of unused) {
    for (const key of [...thumbnailKeys(imageKey), imageKey]) await ctx.storage.delete(key);
  }
  await inTransaction(ctx, async (tx) => {
    await tx.db
      .update(generationTasks)
      .set({ imageKey: null })
      .where(and(inArray(tasks, unused), isNotNull(generationTasks.finishedAt)));
    await tx.db.delete(orphanedImages).where(and(inArray(orphanedImages.key, due), lte(orphanedImages.since, through)));
  });
  return unused.length;
};
