import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { savedVideos } from "#db/schema/videos.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import {
  CAPTION_MAX,
  LIBRARY_BYTES_MAX,
  LIBRARY_MAX,
  STORED_BYTES_MAX,
  STORED_MAX,
  TEXTS,
} from "#lib/features/videos/constants.ts";
import { deleteVideos, editSavedVideo, restoreVideos } from "#lib/features/videos/saved-videos.ts";
import { extracted, list, save, videosHarness } from "./videos-harness.ts";

const harness = videosHarness();

const stored = (ctx: FullCtx, userId: UserId) => ctx.db.$count(savedVideos, eq(savedVideos.userId, userId));

/** Inserts more rows than the API would accept, directly with SQL. */
const fill = async (ctx: FullCtx, userId: UserId, rows: { count: number; deleted?: boolean; letters?: number }) => {
  await ctx.db.execute(sql`
    insert into saved_videos (id, user_id, video_url, video_number, list_key, notes, views, hashtags, hashtag_keys, created_at, updated_at, deleted_at)
    select 'vid_' || ${userId} || n, ${userId}, 'https://www.tiktok.com/@x/video/' || n, n, 'vid_' || n,
      repeat('x', ${rows.letters ?? 0}), 0, '{}', '{}', now(), now(),
      case when ${rows.deleted ?? false} then now() end
    from generate_series((select count(*) from saved_videos) + 1, (select count(*) from saved_videos) + ${rows.count}) as n`);
};

const many = (count: number, word: string): string[] => Array.from({ length: count }, (_, n) => `${word}${n}`);

describe("the limits of a library", () => {
  test("a library has a limit with a message; nothing beyond it is stored", async () => {
    const { ctx, userId } = await harness.newUser();
    await fill(ctx, userId, { count: LIBRARY_MAX - 1 });
    await expect(save(ctx, [extracted(), extracted()])).rejects.toMatchObject({
      ...{ code: "wrong_state", message: TEXTS.libraryFull },
    });
    expect(await stored(ctx, userId)).toBe(LIBRARY_MAX - 1);
    expect(await save(ctx, [extracted({ title: "The last" })])).toEqual({ saved: 1 });
    const [last] = (await list(ctx, { search: "the last" })).results;
    const ids = [last?.id ?? ""];
    await deleteVideos(ctx, { ids });
    await save(ctx, [extracted()]);
    await expect(restoreVideos(ctx, { ids })).rejects.toMatchObject({ code: "wrong_state" });
    expect(await stored(ctx, userId)).toBe(LIBRARY_MAX + 1);
  });

  test("a library has a text limit that includes notes", async () => {
    const { ctx, userId } = await harness.newUser();
    await fill(ctx, userId, { count: Math.floor(LIBRARY_BYTES_MAX / 5_000) - 1, letters: 5_000 });
    const heavy = { code: "wrong_state", message: TEXTS.libraryTooLarge };
    const big = "x".repeat(CAPTION_MAX);
    await expect(save(ctx, [extracted({ title: big })])).rejects.toMatchObject(heavy);
    expect(await save(ctx, [extracted({ title: "Small" })])).toEqual({ saved: 1 });
    const [small] = (await list(ctx, { search: "small" })).results;
    await expect(editSavedVideo(ctx, { id: small?.id ?? "", notes: big })).rejects.toMatchObject(heavy);
    expect((await list(ctx, { search: "small" })).results).toMatchObject([{ notes: "" }]);
    await editSavedVideo(ctx, { id: small?.id ?? "", notes: "Short" });
    await expect(save(ctx, [extracted({ hashtags: many(100, "h".repeat(90)) })])).rejects.toMatchObject(heavy);
  });

  test("a full library can shrink but not grow", async () => {
    const { ctx, userId } = await harness.newUser();
    await save(ctx, [extracted({ title: "Mine" })]);
    const [mine] = (await list(ctx)).results;
    const id = mine?.id ?? "";
    await editSavedVideo(ctx, { id, notes: "Long notes", tags: ["one", "two"] });
    await fill(ctx, userId, { count: LIBRARY_BYTES_MAX / 5_000, letters: 5_000 });
    await expect(editSavedVideo(ctx, { id, notes: "Longer notes" })).rejects.toMatchObject({
      ...{ code: "wrong_state", message: TEXTS.libraryTooLarge },
    });
    expect(await editSavedVideo(ctx, { id, notes: "Same notes" })).toMatchObject({ notes: "Same notes" });
    expect(await editSavedVideo(ctx, { id, notes: "", tags: ["one"] })).toMatchObject({ notes: "", tags: ["one"] });
    await expect(editSavedVideo(ctx, { id, tags: ["one", "two"] })).rejects.toMatchObject({ code: "wrong_state" });
  });

  test("deleted videos are only restored within the text limit", async () => {
    const { ctx, userId } = await harness.newUser();
    await fill(ctx, userId, { count: LIBRARY_BYTES_MAX / 5_000 - 2, letters: 5_000 });
    const big = "x".repeat(CAPTION_MAX);
    await save(ctx, [extracted({ title: `First ${big.slice(6)}` })]);
    const ids = (await list(ctx, { search: "first" })).results.map((video) => video.id);
    expect(ids).toHaveLength(1);
    await deleteVideos(ctx, { ids });
    await save(ctx, [extracted({ title: big })]);
    await expect(restoreVideos(ctx, { ids })).rejects.toMatchObject({
      ...{ code: "wrong_state", message: TEXTS.libraryTooLarge },
    });
    expect((await list(ctx, { search: "first" })).results).toEqual([]);
    const [second] = (await list(ctx, { search: big.slice(0, 100) })).results;
    await deleteVideos(ctx, { ids: [second?.id ?? ""] });
    await restoreVideos(ctx, { ids });
    expect((await list(ctx, { search: "first" })).results.map((video) => video.id)).toEqual(ids);
  });

  test("deleted videos that can still be restored have a text limit, too", async () => {
    const { ctx, userId } = await harness.newUser();
    await fill(ctx, userId, { count: STORED_BYTES_MAX / 5_000 - 1, deleted: true, letters: 5_000 });
    const rows = await stored(ctx, userId);
    expect(rows).toBeLessThan(STORED_MAX);
    await expect(save(ctx, [extracted({ title: "x".repeat(CAPTION_MAX) })])).rejects.toMatchObject({
      ...{ code: "wrong_state", message: TEXTS.storageFull },
    });
    expect(await stored(ctx, userId)).toBe(rows);
    expect(await save(ctx, [extracted({ title: "Small" })])).toEqual({ saved: 1 });
  });

  test("saving and deleting in turns does not grow storage forever", async () => {
    const { ctx, userId } = await harness.newUser();
    await fill(ctx, userId, { count: STORED_MAX, deleted: true });
    await expect(save(ctx, [extracted()])).rejects.toMatchObject({ code: "wrong_state", message: TEXTS.storageFull });
    expect(await stored(ctx, userId)).toBe(STORED_MAX);
  });
});
