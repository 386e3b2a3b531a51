import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { createUser } from "#tests/support/context.ts";
import { videosHarness } from "./videos-harness.ts";

const harness = videosHarness();

const statementsOf = (migration: string): string[] =>
  readFileSync(inRepository("db", "migrations", `${migration}.sql`), "utf8").split("--> statement-breakpoint");

const HOUR_MS = 3_600_000;
const OLDEST = Date.UTC(2026, 9, 1);

test("A-68 merges spellings of one video into the one in use, under its number", async () => {
  const { ctx, userId } = await createUser(harness.open());
  const other = await createUser(harness.open());
  const run = async (migration: string): Promise<void> => {
    for (const statement of statementsOf(migration)) await ctx.db.execute(sql.raw(statement));
  };
  const insert = (id: string, url: string, row: { owner?: string; hour?: number; isDeleted?: boolean } = {}) => {
    const updated = new Date(OLDEST + (row.hour ?? 0) * HOUR_MS).toISOString();
    return ctx.db.execute(sql`
      insert into saved_videos (id, user_id, video_url, title, views, hashtags, hashtag_keys, deleted_at, created_at, updated_at)
      values (${id}, ${row.owner ?? userId}, ${`https://www.tiktok.com/${url}`}, ${id}, 0, '{}', '{}',
        ${row.isDeleted ? updated : null}::timestamptz, ${updated}::timestamptz, ${updated}::timestamptz)`);
  };
  await ctx.db.execute(sql`drop table saved_videos`);
  await run("0030_saved_videos");
  await insert("latest-1", "@Maker/video/7300", { hour: 1 });
  await insert("latest-2", "@maker/video/0007300", { hour: 2 });
  await insert("latest-3", "@maker/video/7300", { hour: 0 });
  await insert("kept-1", "@ann/video/7301", { hour: 5, isDeleted: true });
  await insert("kept-2", "@Ann/video/7301", { hour: 1 });
  await insert("equal-2", "@Bob/photo/7302");
  await insert("equal-1", "@bob/photo/07302");
  await insert("alone", "@Eve/photo/7303", { isDeleted: true });
  await insert("foreign", "@Maker/video/7300", { owner: other.userId });

  await run("0031_one_row_per_video");
  const rows = await ctx.db.execute(
    sql`select id, user_id = ${userId} as mine, video_url, video_number, list_key, deleted_at is null as kept from saved_videos order by id`,
  );
  const row = (id: string, url: string, number: string, more: { mine?: boolean; kept?: boolean } = {}) => ({
    ...{
      id,
      mine: true,
      video_url: `https://www.tiktok.com/${url}`,
      video_number: number,
      list_key: id,
      kept: true,
    },
    ...more,
  });
  expect([...rows]).toEqual([
    row("alone", "@eve/photo/7303", "7303", { kept: false }),
    row("equal-1", "@bob/photo/7302", "7302"),
    row("foreign", "@maker/video/7300", "7300", { mine: false }),
    row("kept-2", "@ann/video/7301", "7301"),
    row("latest-2", "@maker/video/7300", "7300"),
  ]);
  const again = sql`insert into saved_videos (id, user_id, video_url, video_number, list_key, views, hashtags, hashtag_keys, created_at, updated_at)
    select 'again', user_id, video_url || '/', video_number, 'again', 0, '{}', '{}', now(), now() from saved_videos where id = 'alone'`;
  await expect(ctx.db.execute(again)).rejects.toMatchObject({
    cause: { code: "23505", constraint_name: "saved_videos_number" },
  });
});
