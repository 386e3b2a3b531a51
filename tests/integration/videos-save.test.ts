import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { savedVideos } from "#db/schema/videos.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { LIBRARY_MAX, STORED_MAX, TEXTS } from "#lib/features/videos/constants.ts";
import { deleteVideos } from "#lib/features/videos/delete-videos.ts";
import { editSavedVideo } from "#lib/features/videos/edit-saved-video.ts";
import { restoreVideos } from "#lib/features/videos/restore-videos.ts";
import { saveVideosInput } from "#lib/features/videos/schema.ts";
import { extracted, list, newAddress, save, titles, videosHouse } from "./videos-house.ts";

const house = videosHouse();

const stored = (ctx: FullCtx, userId: string) => ctx.db.$count(savedVideos, eq(savedVideos.userId, userId));

/** Rows of a user beyond what a call would take, made by the database itself. */
const fill = async (ctx: FullCtx, userId: string, rows: { count: number; deleted?: boolean }) => {
  await ctx.db.execute(sql`
    insert into saved_videos (id, user_id, video_url, views, hashtags, hashtag_keys, created_at, updated_at, deleted_at)
    select 'vid_' || ${userId} || n, ${userId}, 'https://www.tiktok.com/@x/video/' || n, 0, '{}', '{}', now(), now(),
      case when ${rows.deleted ?? false} then now() end
    from generate_series((select count(*) from saved_videos) + 1, (select count(*) from saved_videos) + ${rows.count}) as n`);
};

describe("saving videos", () => {
  test("R-SAV-14, R-ENT-18, A-73, A-82 what was extracted comes back whole, with an id of ours and its views", async () => {
    const { ctx } = await house.newUser();
    const video = extracted({ hashtags: ["#bread", "SlowFood", " ##bread ", "BREAD", "", "хлеб"] });
    expect(await save(ctx, [video])).toEqual({ saved: 1 });
    const { results } = await list(ctx);
    expect(results).toEqual([
      {
        id: expect.stringMatching(/^vid_[0-9a-z]{26}$/),
        video_url: video.video_url,
        title: video.title,
        description: video.title,
        author: "moss.kitchen",
        author_url: video.author_url,
        thumbnail_url: video.thumbnail_url,
        views_count: "1.2M",
        views: 1_200_000,
        likes_count: "10K",
        date_posted: "3d ago",
        uploaded_at: "2026-11-19T08:00:00.000Z",
        hashtags: ["bread", "SlowFood", "хлеб"],
        tags: [],
        notes: "",
        created_at: expect.any(String),
      },
    ]);
  });

  test("R-SAV-14 what a page did not tell is null, however that was said", async () => {
    const { ctx } = await house.newUser();
    const [bare, empty, unsafe] = [newAddress(), newAddress(), newAddress()];
    await save(ctx, [
      { video_url: bare },
      extracted({
        ...{ video_url: empty, title: "", description: "Only here", author: null, views_count: "", uploaded_at: "" },
        ...{ hashtags: null, likes_count: 1_234, views_count_extra: "dropped" },
      }),
      extracted({ video_url: unsafe, author_url: "javascript:alert(1)", thumbnail_url: "data:image/gif;base64,R0" }),
    ]);
    const { results } = await list(ctx);
    expect(results).toMatchObject([
      { video_url: bare, title: null, description: null, views_count: null, views: 0, uploaded_at: null, hashtags: [] },
      { video_url: empty, title: "Only here", description: "Only here", author: null, likes_count: "1234", views: 0 },
      { video_url: unsafe, author_url: null, thumbnail_url: null },
    ]);
  });

  test("A-68 the same video is updated in place; what a later page does not tell stays, and so do tags and notes", async () => {
    const { ctx, userId } = await house.newUser();
    const video = extracted({ title: "First" });
    await save(ctx, [video]);
    const [before] = (await list(ctx)).results;
    await editSavedVideo(ctx, { id: before?.id ?? "", tags: ["to try"], notes: "For May." });
    const again = { video_url: `${video.video_url.replace("www.", "m.")}?is_from_webapp=1#x`, title: "Second" };
    await house.open().later(60_000, () => save(ctx, [{ ...again, views_count: "2M", hashtags: ["new"] }]));
    expect((await list(ctx)).results).toEqual([
      {
        ...before,
        ...{ title: "Second", description: "Second", views_count: "2M", views: 2_000_000, hashtags: ["new"] },
        ...{ tags: ["to try"], notes: "For May." },
      },
    ]);
    await save(ctx, [{ video_url: video.video_url }]);
    expect((await list(ctx)).results[0]).toMatchObject({ title: "Second", views: 2_000_000, hashtags: ["new"] });
    expect(await stored(ctx, userId)).toBe(1);
  });

  test("A-68 a video that comes twice in one call is one, as it came last; two users keep one each", async () => {
    const [one, two] = [await house.newUser(), await house.newUser()];
    const video_url = newAddress();
    const both = [extracted({ video_url, title: "Early" }), extracted({ video_url: `${video_url}/`, title: "Late" })];
    expect(await save(one.ctx, both)).toEqual({ saved: 1 });
    await save(two.ctx, [extracted({ video_url, title: "Theirs" })]);
    expect([await titles(one.ctx), await titles(two.ctx)]).toEqual([["Late"], ["Theirs"]]);
  });

  test("A-68 saves of the same videos at once, in any order, give one row each", async () => {
    const { ctx, userId } = await house.newUser();
    const videos = Array.from({ length: 120 }, (_, n) => extracted({ title: `no. ${n}` }));
    const calls = Array.from({ length: 8 }, (_, n) => save(ctx, n % 2 === 0 ? videos : videos.toReversed()));
    const deletions = [house.newUser().then(({ ctx: other }) => save(other, videos))];
    expect((await Promise.all([...calls, ...deletions])).map(({ saved }) => saved)).toEqual(Array(9).fill(120));
    expect(await stored(ctx, userId)).toBe(120);
  });

  test("R-API-23 five hundred take as many statements as one, and come back in the order they were sent", async () => {
    const { ctx } = await house.newUser();
    const statements = async (count: number): Promise<number> => {
      const names = Array.from({ length: count }, (_, n) => `${count} no. ${n}`);
      const videos = saveVideosInput.parse({ videos: names.map((title) => extracted({ title })) });
      const asked = await inTransaction(ctx, async (tx) => {
        await tx.db.execute(sql`create temporary table asked (n int) on commit drop`);
        await tx.db.execute(sql`create or replace function pg_temp.note() returns trigger language plpgsql
          as 'begin insert into asked values (1); return null; end'`);
        await tx.db.execute(sql`create trigger note after insert on saved_videos for each statement
          execute function pg_temp.note()`);
        const { saveVideos } = await import("#lib/features/videos/save-videos.ts");
        await saveVideos({ ...ctx, ...tx }, videos);
        const [row] = await tx.db.execute<{ n: number }>(sql`select count(*)::int as n from asked`);
        await tx.db.execute(sql`drop trigger note on saved_videos`);
        return Number(row?.n);
      });
      expect((await titles(ctx)).slice(0, count)).toEqual(names);
      await house.open().moveClock(1_000);
      return asked;
    };
    expect([await statements(1), await statements(500)]).toEqual([1, 1]);
  });

  test("a library has a ceiling, said in words; what would go beyond it is not stored", async () => {
    const { ctx, userId } = await house.newUser();
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

  test("saving and deleting in turns does not store without end", async () => {
    const { ctx, userId } = await house.newUser();
    await fill(ctx, userId, { count: STORED_MAX, deleted: true });
    await expect(save(ctx, [extracted()])).rejects.toMatchObject({ code: "wrong_state", message: TEXTS.dayFull });
    expect(await stored(ctx, userId)).toBe(STORED_MAX);
  });
});
