import "server-only";
import type { Ctx } from "#lib/context.ts";
import { VIDEO_PAGE_MAX } from "./constants.ts";
import { listSavedVideos, type SavedVideoPage } from "./list-saved-videos.ts";
import { toSavedVideo, toSavedVideos } from "./present.ts";
import type { ListSavedVideosInput } from "./schema.ts";

const HEAD = '{"results":[';

async function* write(ctx: Ctx, { search, hashtag }: ListSavedVideosInput, first: SavedVideoPage) {
  yield HEAD;
  for (let page = first, separator = ""; page.videos.length > 0; separator = ",") {
    yield separator + page.videos.map((video) => JSON.stringify(toSavedVideo(video))).join(",");
    if (page.nextCursor === null) break;
    const after = { search, hashtag, cursor: page.nextCursor, limit: VIDEO_PAGE_MAX, counts: false, hashtags: false };
    page = await listSavedVideos(ctx, after);
  }
  // The counts and hashtags, as a page has them after its list.
  yield JSON.stringify(toSavedVideos({ ...first, videos: [] })).slice(HEAD.length);
}

/**
 * All the actor's saved videos that a search and a hashtag let through (R-API-24 without `limit`), as one JSON document
 * in pieces. Read page by page while it is sent, so that memory does not grow with them; what is saved or deleted
 * meanwhile may or may not be in it.
 * @throws AppError `unauthenticated` or `invalid`, as `listSavedVideos`, before the first piece.
 */
export const streamSavedVideos = async (ctx: Ctx, input: ListSavedVideosInput): Promise<AsyncGenerator<string>> =>
  write(ctx, input, await listSavedVideos(ctx, { ...input, limit: VIDEO_PAGE_MAX }));
