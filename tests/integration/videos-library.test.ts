import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { savedVideos } from "#db/schema/videos.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { ownVideosWhere } from "#lib/features/videos/queries.ts";
import { deleteVideos, editSavedVideo, restoreVideos } from "#lib/features/videos/saved-videos.ts";
import { editSavedVideoInput, listSavedVideosInput } from "#lib/features/videos/schema.ts";
import { extracted, list, newVideoUrl, save, titles, videosHarness } from "./videos-harness.ts";

const harness = videosHarness();

const code = (expected: string) => expect.objectContaining({ code: expected });
const ABSENT = `vid_${"0".repeat(26)}`;

const idOf = async (ctx: FullCtx, search: string): Promise<string> =>
  (await list(ctx, { search })).results[0]?.id ?? "none";

const GARDEN = [
  { title: "Slow Sunday bread", author: "moss.kitchen", hashtags: ["bread", "Slow"], views_count: "1.2K" },
  { title: "ÉCLAIRS for Sunday", author: "Fern", hashtags: ["Bread", "éclair"], views_count: "3M" },
  { title: "Тихая гавань", author: "мох", hashtags: ["гавань"], views_count: null },
  { title: null, author: "sunday_painter", hashtags: [], views_count: "987" },
];

describe("searching saved videos", () => {
  test("R-SAV-04 every word must match title or author, ignoring case in any alphabet", async () => {
    const { ctx } = await harness.newUser();
    await save(
      ctx,
      GARDEN.map((video) => extracted(video)),
    );
    expect(await titles(ctx)).toEqual(["Slow Sunday bread", "ÉCLAIRS for Sunday", "Тихая гавань", null]);
    expect(await titles(ctx, { search: "SUNDAY" })).toEqual(["Slow Sunday bread", "ÉCLAIRS for Sunday", null]);
    expect(await titles(ctx, { search: " fern  éclair" })).toEqual(["ÉCLAIRS for Sunday"]);
    expect(await titles(ctx, { search: "E\u0301CLAIRS" })).toEqual(["ÉCLAIRS for Sunday"]);
    expect(await titles(ctx, { search: "@moss.k" })).toEqual(["Slow Sunday bread"]);
    expect(await titles(ctx, { search: "ТИХ" })).toEqual(["Тихая гавань"]);
    expect(await titles(ctx, { search: "%" })).toEqual([]);
    expect(await titles(ctx, { search: "_painter" })).toEqual([null]);
    expect(await titles(ctx, { search: "sun\u0000day BREAD" })).toEqual(["Slow Sunday bread"]);
    expect(await titles(ctx, { search: "' or 1=1 --" })).toEqual([]);
    expect(listSavedVideosInput.safeParse({ search: "a".repeat(4_000) }).success).toBe(false);
  });

  test("R-SAV-05, R-SAV-06 a hashtag filters ignoring case, with or without '#'; the hashtag list is sorted and complete", async () => {
    const { ctx } = await harness.newUser();
    const odd = extracted({ title: "Odd", hashtags: ["__proto__", "constructor", "100%"] });
    await save(ctx, [...GARDEN.map((video) => extracted(video)), odd]);
    expect(await titles(ctx, { hashtag: "bread" })).toEqual(["Slow Sunday bread", "ÉCLAIRS for Sunday"]);
    expect(await titles(ctx, { hashtag: "#BREAD", search: "fern" })).toEqual(["ÉCLAIRS for Sunday"]);
    expect(await titles(ctx, { hashtag: "brea" })).toEqual([]);
    expect(await titles(ctx, { hashtag: "__proto__" })).toEqual(["Odd"]);
    expect(await titles(ctx, { hashtag: "" })).toHaveLength(5);
    expect((await list(ctx, { hashtags: "true", hashtag: "slow" })).hashtags).toEqual([
      { hashtag: "__proto__", videos: 1 },
      { hashtag: "100%", videos: 1 },
      { hashtag: "Bread", videos: 2 },
      { hashtag: "constructor", videos: 1 },
      { hashtag: "éclair", videos: 1 },
      { hashtag: "Slow", videos: 1 },
      { hashtag: "гавань", videos: 1 },
    ]);
  });

  test("R-SAV-07 N of M, and the views of the matches", async () => {
    const { ctx } = await harness.newUser();
    expect((await list(ctx, { counts: "true" })).counts).toEqual({ total: 0, found: 0, views: 0 });
    await save(
      ctx,
      GARDEN.map((video) => extracted(video)),
    );
    const counts = async (query: Record<string, string>) => (await list(ctx, { ...query, counts: "true" })).counts;
    expect(await counts({})).toEqual({ total: 4, found: 4, views: 3_002_187 });
    expect(await counts({ search: "sunday", limit: "1" })).toEqual({ total: 4, found: 3, views: 3_002_187 });
    expect(await counts({ hashtag: "bread" })).toEqual({ total: 4, found: 2, views: 3_001_200 });
    expect(await counts({ search: "nowhere" })).toEqual({ total: 4, found: 0, views: 0 });
  });

  test("R-API-24 pages contain each video once despite concurrent changes; a foreign cursor is rejected", async () => {
    const { ctx } = await harness.newUser();
    const names = Array.from({ length: 7 }, (_, n) => `no. ${n}`);
    await save(
      ctx,
      names.map((title) => extracted({ title })),
    );
    const seen: (string | null)[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(ctx, { limit: "2", ...(cursor && { cursor }) });
      seen.push(...page.results.map(({ title }) => title));
      cursor = page.cursor;
      await harness.open().later(1_000, () => save(ctx, [extracted({ title: "later" })]));
      if (seen.length === 2) await deleteVideos(ctx, { ids: [await idOf(ctx, "no. 1")] });
    }
    expect(seen).toEqual(names);
    for (const bad of ["x", "0.../", "zzzzzzzzzz.a"]) {
      await expect(list(ctx, { cursor: bad })).rejects.toEqual(code("invalid"));
    }
  });
});

describe("deleting with undo, tags and notes", () => {
  test("R-SAV-10 deleted videos leave list, counts and hashtags, and are restored unchanged", async () => {
    const { ctx } = await harness.newUser();
    await save(
      ctx,
      GARDEN.map((video) => extracted(video)),
    );
    const before = await list(ctx, { counts: "true", hashtags: "true" });
    const ids = [await idOf(ctx, "bread"), await idOf(ctx, "fern")];
    await deleteVideos(ctx, { ids });
    expect(await list(ctx, { counts: "true", hashtags: "true" })).toMatchObject({
      results: [{ title: "Тихая гавань" }, { title: null }],
      counts: { total: 2, found: 2, views: 987 },
      hashtags: [{ hashtag: "гавань" }],
    });
    await restoreVideos(ctx, { ids });
    expect(await list(ctx, { counts: "true", hashtags: "true" })).toEqual(before);
  });

  test("R-API-25, R-API-31 all or nothing: a foreign, unknown or deleted video changes nothing", async () => {
    const [own, other] = [await harness.newUser(), await harness.newUser()];
    await save(own.ctx, [extracted({ title: "mine" }), extracted({ title: "gone" })]);
    await save(other.ctx, [extracted({ title: "theirs" })]);
    const [mine, gone, theirs] = [
      await idOf(own.ctx, "mine"),
      await idOf(own.ctx, "gone"),
      await idOf(other.ctx, "theirs"),
    ];
    await deleteVideos(own.ctx, { ids: [gone] });
    for (const bad of [theirs, gone, ABSENT, "' or 1=1 --", "x\u0001"]) {
      await expect(deleteVideos(own.ctx, { ids: [mine, bad] })).rejects.toEqual(code("not_found"));
      if (bad !== gone) await expect(restoreVideos(own.ctx, { ids: [gone, bad] })).rejects.toEqual(code("not_found"));
    }
    await expect(editSavedVideo(own.ctx, { id: theirs, notes: "x" })).rejects.toEqual(code("not_found"));
    await expect(editSavedVideo(own.ctx, { id: gone, notes: "x" })).rejects.toEqual(code("not_found"));
    expect([await titles(own.ctx), await titles(other.ctx)]).toEqual([["mine"], ["theirs"]]);
    expect((await list(other.ctx)).results[0]?.notes).toBe("");
  });

  test("A-68 a deleted video that is saved again is the newest; undoing the deletion does no harm", async () => {
    const { ctx } = await harness.newUser();
    const video_url = newVideoUrl();
    await save(ctx, [extracted({ title: "other" }), extracted({ video_url, title: "again" })]);
    const id = await idOf(ctx, "again");
    await deleteVideos(ctx, { ids: [id] });
    await harness.open().later(MINUTE_MS, () => save(ctx, [extracted({ video_url, title: "again" })]));
    expect(await titles(ctx)).toEqual(["again", "other"]);
    await restoreVideos(ctx, { ids: [id] });
    expect(await titles(ctx)).toEqual(["again", "other"]);
  });

  test("deleted videos are purged after a day and cannot be restored", async () => {
    const { ctx } = await harness.newUser();
    await save(ctx, [extracted({ title: "kept" }), extracted({ title: "gone" })]);
    const ids = [await idOf(ctx, "gone")];
    await deleteVideos(ctx, { ids });
    expect(await harness.open().later(DAY_MS - MINUTE_MS, () => RETENTION_RULES.videos(harness.job()))).toBe(0);
    await restoreVideos(ctx, { ids });
    await deleteVideos(ctx, { ids });
    expect(await harness.open().later(DAY_MS + MINUTE_MS, () => RETENTION_RULES.videos(harness.job()))).toBeGreaterThan(
      0,
    );
    expect(await harness.open().later(DAY_MS + MINUTE_MS, () => RETENTION_RULES.videos(harness.job()))).toBe(0);
    await expect(restoreVideos(ctx, { ids })).rejects.toEqual(code("not_found"));
    expect(await titles(ctx)).toEqual(["kept"]);
  });

  test("tags and notes change independently and are cleaned", async () => {
    const { ctx } = await harness.newUser();
    await save(ctx, [extracted({ title: "kept" })]);
    const id = await idOf(ctx, "kept");
    const edit = (more: Record<string, unknown>) => editSavedVideo(ctx, editSavedVideoInput.parse({ id, ...more }));
    expect(await edit({ tags: [" to  try ", "To Try", "", "May\u0000"] })).toMatchObject({
      ...{ tags: ["to try", "May"], notes: "" },
    });
    expect(await edit({ notes: "One\ntwo\u0007 " })).toMatchObject({ tags: ["to try", "May"], notes: "One\ntwo" });
    expect(await edit({ tags: [] })).toMatchObject({ tags: [], notes: "One\ntwo" });
    const refused = (more: Record<string, unknown>) =>
      editSavedVideoInput.safeParse({ id, ...more }).error?.issues[0]?.message;
    expect(refused({ tags: ["x".repeat(51)] })).toBe("A tag can have up to 50 characters.");
    expect(refused({ tags: Array.from({ length: 21 }, (_, n) => `${n}`) })).toBe("A video can have up to 20 tags.");
    expect(refused({ notes: "x".repeat(5_001) })).toBe("Notes can have up to 5,000 characters.");
    expect(refused({ notes: null })).toBeDefined();
  });
});

describe("a library of ten thousand", () => {
  /** PostgreSQL's query plan for a filter. */
  const planOf = async (ctx: FullCtx, filter: { search?: string; hashtag?: string }): Promise<string> => {
    const lines = await ctx.db.execute<{ "QUERY PLAN": string }>(
      sql`explain select id from ${savedVideos} where ${ownVideosWhere(ctx, filter)}`,
    );
    return lines.map((line) => line["QUERY PLAN"]).join("\n");
  };

  test("R-SAV-04, R-SAV-05 search, hashtag and paging use indexes", async () => {
    const { ctx, userId } = await harness.newUser();
    const others = [await harness.newUser(), await harness.newUser()];
    for (const owner of [userId, ...others.map((other) => other.userId)]) {
      await ctx.db.execute(sql`
        insert into saved_videos (id, user_id, video_url, video_number, list_key, title, author, views, hashtags, hashtag_keys, created_at, updated_at)
        select ${owner} || n, ${owner}, 'https://www.tiktok.com/@many/video/' || n, n, 'vid_' || n, md5(n::text) || ' ' || md5('x' || n),
          'author' || n % 500, n, array['Tag' || n % 900], array['tag' || n % 900], now() - n * interval '1 second', now()
        from generate_series(1, 10000) as n`);
    }
    await ctx.db.execute(sql`vacuum analyze saved_videos`);
    // Matches the title of row 4711, which contains its MD5 digest.
    const search = createHash("md5").update("4711").digest("hex").slice(0, 12);
    expect(await planOf(ctx, { search })).toContain("saved_videos_words");
    expect(await planOf(ctx, { hashtag: "tag77" })).toContain("saved_videos_hashtags");
    expect(await titles(ctx, { search })).toHaveLength(1);
    expect(await titles(ctx, { hashtag: "tag77" })).toHaveLength(12);
    const page = await ctx.db.execute<{ "QUERY PLAN": string }>(sql`explain select id from ${savedVideos}
      where ${ownVideosWhere(ctx, {})} and (created_at, list_key) < (now() - interval '9000 seconds', 'vid_')
      order by created_at desc, list_key desc limit 61`);
    expect(page.map((line) => line["QUERY PLAN"]).join("\n")).toContain("saved_videos_newest");
    expect((await list(ctx, { limit: "60", counts: "true", hashtags: "true" })).hashtags).toHaveLength(900);
  });
});

test("the user's data export contains the saved videos", async () => {
  const { ctx, userId } = await harness.newUser();
  await save(ctx, [extracted({ title: "Mine" }), extracted({ title: "Thrown away" })]);
  await deleteVideos(ctx, { ids: [await idOf(ctx, "thrown")] });
  let text = "";
  for await (const piece of await exportData(ctx)) text += piece;
  const exported = JSON.parse(text).saved_videos;
  expect(exported).toMatchObject([{ title: "Mine", views_count: "1.2M", hashtags: ["bread", "SlowFood"], tags: [] }]);
  expect(await ctx.db.$count(savedVideos, eq(savedVideos.userId, userId))).toBe(2);
});
