import { afterAll, beforeAll } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { listSavedVideos, saveVideos, streamSavedVideos } from "#lib/features/videos/saved-videos.ts";
import { listSavedVideosInput, type SavedVideosWire, saveVideosInput } from "#lib/features/videos/schema.ts";
import { toSavedVideos } from "#lib/features/videos/serializers.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

/** A harness for the calling file. */
export const videosHarness = () => {
  const database = databaseForFile();
  let harness: TestHarness | undefined;
  const open = (): TestHarness => {
    if (!harness) throw new Error("The harness exists from beforeAll on.");
    return harness;
  };
  beforeAll(() => {
    harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
  });
  afterAll(() => open().close());
  return {
    open,
    job: () => contextOf(open(), { kind: "job", name: "test" }),
    newUser: () => createUser(open()),
  };
};

let serial = 0;

/** A unique video URL. */
export const newVideoUrl = (): string => {
  serial += 1;
  return `https://www.tiktok.com/@maker/video/${7_300_000_000_000_000_000n + BigInt(serial)}`;
};

/** A video as the extractor sends it. */
export const extracted = (more: Record<string, unknown> = {}) => ({
  id: 1,
  video_url: newVideoUrl(),
  title: "Slow Sunday bread #bread #SlowFood",
  author: "moss.kitchen",
  author_url: "https://www.tiktok.com/@moss.kitchen",
  thumbnail_url: "https://p16-sign.tiktokcdn.com/a.jpeg?x-expires=1",
  views_count: "1.2M",
  likes_count: "10K",
  date_posted: "3d ago",
  uploaded_at: "2026-11-19T08:00:00.000Z",
  duration_seconds: 45,
  hashtags: ["bread", "SlowFood"],
  ...more,
});

/** Saves videos as the API does. */
export const save = (ctx: FullCtx, videos: readonly unknown[]) => saveVideos(ctx, saveVideosInput.parse({ videos }));

/** Lists saved videos as the API does: all, or a page with the next cursor. */
export const list = async (
  ctx: FullCtx,
  query: Record<string, string> = {},
): Promise<SavedVideosWire & { cursor: string | null }> => {
  const input = listSavedVideosInput.parse(query);
  if (input.limit === undefined) {
    let text = "";
    for await (const piece of await streamSavedVideos(ctx, input)) text += piece;
    return { ...JSON.parse(text), cursor: null };
  }
  const page = await listSavedVideos(ctx, input);
  return { ...toSavedVideos(page), cursor: page.nextCursor };
};

export const titles = async (ctx: FullCtx, query: Record<string, string> = {}) =>
  (await list(ctx, query)).results.map(({ title }) => title);
