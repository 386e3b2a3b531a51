import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { saveBatches } from "#components/videos/save-batches.ts";
import type { PoolClient } from "#db/pool-client.ts";
import { savedVideos } from "#db/schema/videos.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { analyze } from "#lib/features/videos/engine/analysis.ts";
import { toJson } from "#lib/features/videos/engine/exports.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { deleteVideos, editSavedVideo, restoreVideos } from "#lib/features/videos/saved-videos.ts";
import { makePage } from "#tests/support/video-pages-seeded/page.ts";
import { extracted, list, newVideoUrl, save, titles, videosHarness } from "./videos-harness.ts";

const harness = videosHarness();

const stored = (ctx: FullCtx, userId: UserId) => ctx.db.$count(savedVideos, eq(savedVideos.userId, userId));

/** Counts the statements in a task's transactions. */
const countStatements = async (ctx: FullCtx, work: () => Promise<unknown>): Promise<number> => {
  const { client } = ctx.db._.session as unknown as { client: PoolClient };
  const begin = client.begin;
  let requests = 0;
  client.begin = (run) =>
    begin((tx) => {
      const unsafe: typeof tx.unsafe = (...statement) => {
        requests += 1;
        return tx.unsafe(...statement);
      };
      return run({ ...tx, unsafe });
    });
  try {
    await work();
  } finally {
    client.begin = begin;
  }
  return requests;
};

describe("saving videos", () => {
  test("R-GEN-03 the videos of a pasted page are read, analyzed, exported and saved", async () => {
    const { ctx } = await harness.newUser();
    const { html, expected } = makePage({ seed: 7, layout: "search", period: 2025, videos: 12 });
    const { videos } = extract(html);
    expect(videos).toMatchObject(expected);
    expect(analyze(videos, new Set([1]))).toMatchObject({ totalVideos: expected.length, selected: { videos: 1 } });
    expect(JSON.parse(toJson(videos))).toMatchObject(expected.map(({ id, video_url }) => ({ id, video_url })));
    const [batch = []] = saveBatches(videos);
    expect(await save(ctx, batch)).toEqual({ saved: expected.length });
    const { results } = await list(ctx);
    expect(results.map(({ title, author, hashtags }) => [title, author, hashtags])).toEqual(
      expected.map(({ title, author, hashtags }) => [title, author, hashtags]),
    );
  });

  test("R-SAV-14, R-ENT-18, A-73, A-82 an extracted video is returned complete, with an id and its views", async () => {
    const { ctx } = await harness.newUser();
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
        duration_seconds: 45,
        hashtags: ["bread", "SlowFood", "хлеб"],
        tags: [],
        notes: "",
        created_at: expect.any(String),
      },
    ]);
  });

  test("R-SAV-14 a video that is saved again without its author keeps its link", async () => {
    const { ctx } = await harness.newUser();
    const video = extracted();
    const unknown = { video_url: video.video_url.replace("@maker", "@_"), author: null, author_url: null };
    await save(ctx, [unknown]);
    expect((await list(ctx)).results).toMatchObject([unknown]);
    await save(ctx, [video]);
    await save(ctx, [{ ...unknown, views_count: "2M" }]);
    const { video_url, author, author_url } = video;
    expect((await list(ctx)).results).toMatchObject([{ video_url, author, author_url, views_count: "2M" }]);
  });

  test("R-SAV-14 missing fields are null, in whatever form they were sent", async () => {
    const { ctx } = await harness.newUser();
    const [bare, empty, unsafe] = [newVideoUrl(), newVideoUrl(), newVideoUrl()];
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

  test("A-68 the same video is updated in place; missing fields, tags and notes stay", async () => {
    const { ctx, userId } = await harness.newUser();
    const video = extracted({ title: "First" });
    await save(ctx, [video]);
    const [before] = (await list(ctx)).results;
    await editSavedVideo(ctx, { id: before?.id ?? "", tags: ["to try"], notes: "For May." });
    const again = { video_url: `${video.video_url.replace("www.", "m.")}?is_from_webapp=1#x`, title: "Second" };
    await harness.open().later(60_000, () => save(ctx, [{ ...again, views_count: "2M", hashtags: ["new"] }]));
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

  test("A-68 saving again without hashtags keeps them; hashtags without a title are updated", async () => {
    const { ctx } = await harness.newUser();
    const { video_url, ...video } = extracted({ title: "First", hashtags: ["bread"] });
    const hashtags = async () => (await list(ctx, { hashtags: "true" })).hashtags?.map(({ hashtag }) => hashtag);
    await save(ctx, [{ video_url, ...video }]);
    await save(ctx, [{ video_url, title: "Second" }]);
    expect((await list(ctx)).results).toMatchObject([{ title: "Second", hashtags: ["bread"] }]);
    await save(ctx, [{ video_url, hashtags: ["New", "slow"] }]);
    expect((await list(ctx)).results).toMatchObject([{ title: "Second", hashtags: ["New", "slow"] }]);
    expect(await hashtags()).toEqual(["New", "slow"]);
    expect(await titles(ctx, { hashtag: "new" })).toEqual(["Second"]);
  });

  test("A-68 one number is one video, however its URL is spelled; the newest URL stays", async () => {
    const { ctx, userId } = await harness.newUser();
    const number = newVideoUrl().split("/").at(-1);
    const spelled = (name: string, kind = "video") => `https://www.tiktok.com/@${name}/${kind}/${number}`;
    expect(
      await save(ctx, [
        extracted({ video_url: spelled("Moss"), title: "One" }),
        extracted({ video_url: spelled("moss"), title: "Two" }),
      ]),
    ).toEqual({ saved: 1 });
    await save(ctx, [extracted({ video_url: spelled("MOSS", "photo"), title: "Three" })]);
    expect((await list(ctx)).results).toMatchObject([{ title: "Three", video_url: spelled("moss", "photo") }]);
    await save(ctx, [extracted({ video_url: spelled("renamed"), title: "Four" })]);
    expect((await list(ctx)).results).toMatchObject([{ title: "Four", video_url: spelled("renamed") }]);
    expect(await stored(ctx, userId)).toBe(1);
  });

  test("A-68 a duplicate in one call is saved once, and the last wins; two users have one each", async () => {
    const [one, two] = [await harness.newUser(), await harness.newUser()];
    const video_url = newVideoUrl();
    const both = [extracted({ video_url, title: "Early" }), extracted({ video_url: `${video_url}/`, title: "Late" })];
    expect(await save(one.ctx, both)).toEqual({ saved: 1 });
    await save(two.ctx, [extracted({ video_url, title: "Theirs" })]);
    expect([await titles(one.ctx), await titles(two.ctx)]).toEqual([["Late"], ["Theirs"]]);
  });

  test("A-68 concurrent saves of the same videos in any order store one row each", async () => {
    const { ctx, userId } = await harness.newUser();
    const videos = Array.from({ length: 120 }, (_, n) => extracted({ title: `no. ${n}` }));
    const calls = Array.from({ length: 8 }, (_, n) => save(ctx, n % 2 === 0 ? videos : videos.toReversed()));
    const others = [harness.newUser().then(({ ctx: other }) => save(other, videos))];
    expect((await Promise.all([...calls, ...others])).map(({ saved }) => saved)).toEqual(Array(9).fill(120));
    expect(await stored(ctx, userId)).toBe(120);
  });

  test("A-68 concurrent saving, deleting and restoring leaves one row without deadlocks", async () => {
    const { ctx, userId } = await harness.newUser();
    const videos = Array.from({ length: 20 }, (_, n) => extracted({ title: `no. ${n}` }));
    await save(ctx, videos);
    const ids = (await list(ctx)).results.map(({ id }) => id);
    const calls = Array.from({ length: 6 }, () => [
      save(ctx, videos.toReversed()).then(() => "saved"),
      deleteVideos(ctx, { ids }).then(() => "deleted"),
      restoreVideos(ctx, { ids: ids.toReversed() }).then(() => "restored"),
    ]);
    const ended = await Promise.allSettled(calls.flat());
    // A second deletion finds nothing; any other error is a bug.
    const faults = ended.filter((one) => one.status === "rejected" && one.reason?.code !== "not_found");
    expect(faults).toEqual([]);
    expect(await stored(ctx, userId)).toBe(20);
    expect([0, 20]).toContain((await list(ctx)).results.length);
    await save(ctx, videos);
    expect((await list(ctx)).results.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test("R-API-23 videos of one call keep their order, also when one was deleted before", async () => {
    const { ctx } = await harness.newUser();
    const videos = Array.from({ length: 7 }, (_, n) => extracted({ title: `no. ${n}` }));
    await save(ctx, [videos[1], videos[5], videos[3]]);
    const before = (await list(ctx)).results.map(({ id }) => id);
    await deleteVideos(ctx, { ids: before });
    await harness.open().later(60_000, () => save(ctx, videos));
    expect(await titles(ctx)).toEqual(videos.map(({ title }) => title));
    const paged: (string | null)[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(ctx, { limit: "2", ...(cursor && { cursor }) });
      paged.push(...page.results.map(({ title }) => title));
      cursor = page.cursor;
    }
    expect(paged).toEqual(videos.map(({ title }) => title));
    await restoreVideos(ctx, { ids: before });
    expect(await titles(ctx)).toEqual(videos.map(({ title }) => title));
  });

  test("R-API-23 five hundred videos take as many statements as one, and keep their order", async () => {
    const { ctx } = await harness.newUser();
    const statements = async (count: number): Promise<number> => {
      const names = Array.from({ length: count }, (_, n) => `${count} no. ${n}`);
      const videos = names.map((title) => extracted({ title }));
      const requests = await countStatements(ctx, () => save(ctx, videos));
      expect((await titles(ctx)).slice(0, count)).toEqual(names);
      await harness.open().moveClock(1_000);
      return requests;
    };
    expect([await statements(1), await statements(500)]).toEqual([3, 3]);
  });
});
