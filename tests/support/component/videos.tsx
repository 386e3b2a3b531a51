import { userEvent } from "vitest/browser";
import { ExtractorProvider } from "#components/videos/extractor-context.tsx";
import { listOf, savedParams } from "#components/videos/saved-query.ts";
import { SavedScreen } from "#components/videos/saved-screen.tsx";
import { VideosScreen } from "#components/videos/videos-screen.tsx";
import type { SavedHashtag, SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";
import { type PageVideo, pageOf, urlOf } from "#tests/support/tiktok-page.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";

export const SAVE = "POST /api/users/save_tiktok_videos/";
export const LIST = "GET /api/users/save_tiktok_videos/";

/** Pastes a text into the focused field, like a copied page source. */
export const paste = (text: string): void => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  if (document.activeElement?.dispatchEvent(event)) document.execCommand("insertText", false, text);
};

/** Renders the extractor with its real worker. */
export const openExtractor = async (answers: Answers = {}) => {
  const shown = await renderScreen(
    <ExtractorProvider>
      <VideosScreen />
    </ExtractorProvider>,
    // On any other path, the extractor would reload the document.
    { path: "/app/component", answers },
  );
  const { screen } = shown;
  const field = screen.getByLabelText("Page HTML");
  const extract = screen.getByRole("button", { name: "Extract Videos", exact: true });
  const button = (name: string | RegExp) => screen.getByRole("button", { name, exact: true });
  return {
    ...shown,
    field,
    extract,
    button,
    tab: (name: string) => screen.getByRole("tab", { name }),
    heading: (name: string | RegExp) => screen.getByRole("heading", { name, exact: true }),
    select: (start: RegExp) => screen.getByRole("checkbox", { name: start }),
    cards: () => [...screen.container.querySelectorAll("article[data-slot=video-card]")],
    failed: () => screen.container.querySelector("[data-slot=banner][data-tone=failed]")?.textContent ?? "",
    /** Pastes a page with these videos and extracts them. */
    read: async (videos: readonly PageVideo[]) => {
      await field.click();
      await userEvent.keyboard("{ControlOrMeta>}a{/ControlOrMeta}");
      paste(pageOf(videos));
      await extract.click();
    },
  };
};

/** A saved video as the API returns it. */
export const savedVideo = (video: PageVideo, at: number, more: Partial<SavedVideoWire> = {}): SavedVideoWire => ({
  id: `vid_${at + 1}`,
  video_url: urlOf(video, at),
  title: video.caption,
  description: null,
  author: video.author,
  author_url: `https://www.tiktok.com/@${video.author}`,
  thumbnail_url: null,
  views_count: video.views,
  views: 1_000,
  likes_count: null,
  date_posted: "2025-03-09",
  uploaded_at: null,
  duration_seconds: null,
  hashtags: [...video.caption.matchAll(/#(\w+)/g)].map(([, tag]) => tag ?? ""),
  tags: [],
  notes: "",
  created_at: "2026-03-01T08:00:00.000Z",
  ...more,
});

const hashtagsOf = (videos: readonly SavedVideoWire[]): SavedHashtag[] => {
  const all = videos.flatMap(({ hashtags }) => hashtags.map((one) => one.toLowerCase()));
  return [...new Set(all)]
    .toSorted()
    .map((hashtag) => ({ hashtag, videos: all.filter((one) => one === hashtag).length }));
};

/** Responds like the API: by search, hashtag, limit and cursor, with counts. */
const pageOfSaved = (
  videos: readonly SavedVideoWire[],
  query: URLSearchParams,
): { body: SavedVideosWire; next: string | null } => {
  const words = (query.get("search") ?? "").toLowerCase();
  const hashtag = (query.get("hashtag") ?? "").toLowerCase();
  const found = videos.filter(
    ({ title, author, hashtags }) =>
      `${title} ${author}`.toLowerCase().includes(words) &&
      (hashtag === "" || hashtags.some((one) => one.toLowerCase() === hashtag)),
  );
  const from = Number(query.get("cursor") ?? 0);
  const to = from + Number(query.get("limit") ?? found.length);
  const following = new URLSearchParams(query);
  following.set("cursor", String(to));
  const views = found.reduce((sum, video) => sum + video.views, 0);
  return {
    body: {
      results: found.slice(from, to),
      counts: { total: videos.length, found: found.length, views },
      hashtags: hashtagsOf(videos),
    },
    next: to < found.length ? `/api/users/save_tiktok_videos/?${following}` : null,
  };
};

/** The response of the call that lists saved videos. */
export const listSaved =
  (videos: readonly SavedVideoWire[]) =>
  ({ query }: Pick<RecordedCall, "query">): Response => {
    const { body, next } = pageOfSaved(videos, query);
    return Response.json(body, next === null ? undefined : { headers: { link: `<${next}>; rel="next"` } });
  };

type SavedOptions = { q?: string; answers?: Answers; creatorPath?: string | null };

/** Renders Saved Videos with these videos. */
export const openSaved = async (
  videos: readonly SavedVideoWire[],
  { q = "", answers = {}, creatorPath = "/app/evertack-creator" }: SavedOptions = {},
) => {
  const query = { q, hashtag: "" };
  const { body, next } = pageOfSaved(videos, new URLSearchParams(savedParams(query)));
  const shown = await renderScreen(
    <SavedScreen first={{ query, list: listOf(body, next) }} creatorPath={creatorPath} />,
    {
      path: "/app/component",
      answers: { [LIST]: listSaved(videos), ...answers },
    },
  );
  const { screen } = shown;
  return {
    ...shown,
    search: screen.getByRole("searchbox", { name: "Search saved videos" }),
    button: (name: string | RegExp) => screen.getByRole("button", { name, exact: true }),
    select: (start: RegExp) => screen.getByRole("checkbox", { name: start }),
    cards: () => [...screen.container.querySelectorAll("article[data-slot=video-card]")],
    counts: () => screen.container.querySelector("[data-slot=saved-counts]")?.textContent,
    failed: () => screen.container.querySelector("[data-slot=banner][data-tone=failed]")?.textContent ?? "",
  };
};
