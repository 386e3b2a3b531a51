import { afterAll, beforeAll } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { listSavedVideos, saveVideos, streamSavedVideos } from "#lib/features/videos/saved-videos.ts";
import { listSavedVideosInput, type SavedVideosWire, saveVideosInput } from "#lib/features/videos/schema.ts";
import { toSavedVideos } from "#lib/features/videos/serializers.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

/** A house of its own for the calling file. */
export const videosHouse = () => {
  const database = databaseForFile();
  let house: TestHouse | undefined;
  const open = (): TestHouse => {
    if (!house) throw new Error("The house exists from beforeAll on.");
    return house;
  };
  beforeAll(() => {
    house = createTestHouse({ databaseUrl: database().url, storageDir: "/nonexistent" });
  });
  afterAll(() => open().close());
  return {
    open,
    job: () => contextOf(open(), { kind: "job", name: "test" }),
    newUser: () => createUser(open()),
  };
};

let serial = 0;

/** An address of a video that no other test has. */
export const newAddress = (): string => {
  serial += 1;
  return `https://www.tiktok.com/@maker/video/${7_300_000_000_000_000_000n + BigInt(serial)}`;
};

/** A video as the extractor sends it. */
export const extracted = (more: Record<string, unknown> = {}) => ({
  id: 1,
  video_url: newAddress(),
  title: "Slow Sunday bread #bread #SlowFood",
  author: "moss.kitchen",
  author_url: "https://www.tiktok.com/@moss.kitchen",
  thumbnail_url: "https://p16-sign.tiktokcdn.com/a.jpeg?x-expires=1",
  views_count: "1.2M",
  likes_count: "10K",
  date_posted: "3d ago",
  uploaded_at: "2026-11-19T08:00:00.000Z",
  hashtags: ["bread", "SlowFood"],
  ...more,
});

/** Saves videos as the documented call does. */
export const save = (ctx: FullCtx, videos: readonly unknown[]) => saveVideos(ctx, saveVideosInput.parse({ videos }));

/** Saved videos as the documented call answers them: all, or a page with the cursor of the next one. */
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
