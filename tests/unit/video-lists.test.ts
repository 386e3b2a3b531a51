import { describe, expect, test } from "vitest";
import { bucketUploads } from "#components/charts/chart-data.ts";
import { saveBatches } from "#components/videos/save-batches.ts";
import { listOf, savedPath, withoutVideos } from "#components/videos/saved-query.ts";
import {
  arrangeVideos,
  COPIED_MS,
  columnsFor,
  durationText,
  imageUrl,
  linkUrl,
  nameOf,
  partlySavedText,
  viewsText,
} from "#components/videos/video-texts.ts";
import { creatorRowsOf, creatorUrl, keywordsOf } from "#lib/core/paths.ts";
import { CAPTION_MAX, SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

const video = (id: number, part: Partial<ExtractedVideo> = {}): ExtractedVideo => ({
  id,
  video_url: `https://www.tiktok.com/@a/video/${id}`,
  title: null,
  description: null,
  author: null,
  author_url: null,
  thumbnail_url: null,
  views_count: null,
  likes_count: null,
  date_posted: null,
  uploaded_at: null,
  duration_seconds: null,
  hashtags: [],
  sources: {},
  ...part,
});

test("R-TIME-06, R-VID-12 copied links are confirmed for 2 s", () => {
  expect(COPIED_MS).toBe(2_000);
});

describe("the list of extracted videos", () => {
  const videos = [
    video(1, { title: "Linen by the sea", author: "moss", views_count: "1.2K", uploaded_at: "2025-03-01T00:00:00Z" }),
    video(2, { title: "Bread", author: "ana", views_count: "3M", hashtags: ["Linen"] }),
    video(3, { author: "zoe", uploaded_at: "2026-01-01T00:00:00Z" }),
    video(4, { title: "Ridge", views_count: "1.2K", uploaded_at: "2024-01-01T00:00:00Z" }),
  ];
  const ids = (q: string, sort: Parameters<typeof arrangeVideos>[2]) =>
    arrangeVideos(videos, q, sort).map(({ id }) => id);

  test("a filter matches every word in title, author or hashtag, ignoring case", () => {
    expect(ids("LINEN", "page")).toEqual([1, 2]);
    expect(ids("linen sea", "page")).toEqual([1]);
    expect(ids("#linen", "page")).toEqual([2]);
    expect(ids("  moss ", "page")).toEqual([1]);
    expect(ids("nothing", "page")).toEqual([]);
  });

  test("sorting is stable and puts videos without the value last", () => {
    expect(ids("", "page")).toEqual([1, 2, 3, 4]);
    expect(ids("", "views")).toEqual([2, 1, 4, 3]);
    expect(ids("", "newest")).toEqual([3, 1, 4, 2]);
    expect(ids("", "oldest")).toEqual([4, 1, 3, 2]);
    expect(ids("", "author")).toEqual([2, 1, 3, 4]);
  });

  test("R-VID-05, R-VID-07 views as shown, plain digits grouped, or N/A; a substitute for a missing title", () => {
    expect(["1.2M", "1234567", "12 тыс.", "", "  ", null].map((views_count) => viewsText({ views_count }))).toEqual([
      "1.2M",
      "1,234,567",
      "12 тыс.",
      "N/A",
      "N/A",
      "N/A",
    ]);
    expect([nameOf({ title: " A " }), nameOf({ title: " " }), nameOf({ title: null })]).toEqual([
      "A",
      "Untitled TikTok Video",
      "Untitled TikTok Video",
    ]);
  });

  test("durations as a player shows them", () => {
    const texts = [5, 61, 600, 3_599, 3_600, 7_384, null].map((duration_seconds) => durationText({ duration_seconds }));
    expect(texts).toEqual(["0:05", "1:01", "10:00", "59:59", "1:00:00", "2:03:04", null]);
  });

  test("four, three or two cards per row, by width", () => {
    expect([1200, 880, 879, 560, 559, 300].map(columnsFor)).toEqual([4, 4, 3, 3, 2, 2]);
  });
});

test("R-VID-31 only http and https become links, only https becomes an image", () => {
  const hostile = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "/app",
    "//x.y",
    "",
    null,
  ];
  expect(hostile.map(linkUrl)).toEqual(hostile.map(() => undefined));
  expect(hostile.map(imageUrl)).toEqual(hostile.map(() => undefined));
  expect(linkUrl("http://a.example/b")).toBe("http://a.example/b");
  expect(imageUrl("http://a.example/b.jpg")).toBeUndefined();
  expect(imageUrl("https://a.example/b.jpg?x=1&y=2")).toBe("https://a.example/b.jpg?x=1&y=2");
  expect(linkUrl('https://a.example/?q="><script>')).not.toContain("<");
});

test("groups uploads by day, or by month or year when there are too many bars", () => {
  const day = (at: number) => ({
    day: new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10),
    videos: 1,
    views: 10,
  });
  const days = (count: number, step = 1) => Array.from({ length: count }, (_, at) => day(at * step));
  expect(bucketUploads(days(3).toReversed()).map(({ time }) => time)).toEqual([
    "2020-01-01",
    "2020-01-02",
    "2020-01-03",
  ]);
  const months = bucketUploads(days(90));
  expect(months[0]).toEqual({ time: "2020-01", videos: 31, views: 310 });
  expect(months).toHaveLength(3);
  const years = bucketUploads(days(70, 30));
  expect(years.map(({ time }) => time)).toEqual(["2020", "2021", "2022", "2023", "2024", "2025"]);
  expect(years.reduce((sum, { views }) => sum + views, 0)).toBe(700);
  expect(bucketUploads([])).toEqual([]);
});

describe("the list of saved videos", () => {
  const saved = (id: string, hashtags: string[], views: number) => ({ id, hashtags, views }) as SavedVideoWire;
  const [a, b, c] = [saved("a", ["Linen", "sea"], 10), saved("b", ["linen"], 5), saved("c", [], 1)];

  test("R-SAV-02 reads results and a plain array alike", () => {
    const counts = { total: 3, found: 3, views: 16 };
    expect(listOf([a, b, c], null)).toEqual({ videos: [a, b, c], counts, hashtags: [], nextPath: null });
    expect(listOf({ results: [a, b, c] }, null)).toEqual(listOf([a, b, c], null));
    expect(listOf({ results: [a], counts }, "/next").counts).toEqual(counts);
  });

  test("R-SAV-05, R-SAV-07, R-SAV-10 deleted videos leave list, counts, views and hashtags", () => {
    const list = listOf(
      {
        results: [a, b, c],
        counts: { total: 9, found: 4, views: 20 },
        hashtags: [
          { hashtag: "Linen", videos: 2 },
          { hashtag: "sea", videos: 1 },
        ],
      },
      "/next",
    );
    expect(withoutVideos(list, [])).toBe(list);
    expect(withoutVideos(list, [a])).toEqual({
      videos: [b, c],
      counts: { total: 8, found: 3, views: 10 },
      hashtags: [{ hashtag: "Linen", videos: 1 }],
      nextPath: "/next",
    });
  });

  test("R-SAV-04 the path contains search and hashtag only when set", () => {
    expect(savedPath({ q: "", hashtag: "" })).not.toMatch(/search|hashtag=/);
    const query = new URLSearchParams(savedPath({ q: "a b&c", hashtag: "caf\u00e9" }).split("?")[1]);
    expect([query.get("search"), query.get("hashtag"), query.get("limit")]).toEqual(["a b&c", "caf\u00e9", "24"]);
  });
});

test("keywords survive a round trip through the creator's URL, within its limits", () => {
  const url = creatorUrl("/app/x-creator", ["slow bread", "a&b=c", "\u00fcber"]);
  const query = { keyword: new URL(url, "http://a.example").searchParams.getAll("keyword") };
  expect(keywordsOf(query, { count: 9, length: 99 })).toEqual(["slow bread", "a&b=c", "\u00fcber"]);
  expect(keywordsOf({ keyword: [" ", "abcdef", "b", "c"] }, { count: 2, length: 3 })).toEqual(["abc", "b"]);
  expect(keywordsOf({ keyword: "one" }, { count: 2, length: 9 })).toEqual(["one"]);
  expect(keywordsOf({}, { count: 2, length: 9 })).toEqual([]);
});

test("more keywords than a URL may hold go into its fragment, and the account stays in the query", () => {
  const many = Array.from({ length: 100 }, (_, n) => `keyword ${n} ${"x".repeat(80)}`);
  const url = new URL(creatorUrl("/app/x-creator", many, { accountId: "account_1" }), "http://a.example");
  expect(url.search).toBe("?account=account_1");
  const rows = creatorRowsOf(url.hash, { count: 100, keyword: 200, url: 99 });
  expect(rows.map(({ keyword }) => keyword)).toEqual(many);
});

describe("R-VID-27 saving in batches", () => {
  const many = (count: number, part: Partial<ExtractedVideo> = {}) =>
    Array.from({ length: count }, (_, at) => video(at + 1, part));
  const bytesOf = (batch: unknown) => Buffer.byteLength(JSON.stringify({ videos: batch }));

  test("up to 500 videos, in order, without sources", () => {
    const batches = saveBatches(many(1_001, { sources: { title: "markup" } as never }));
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(batches.flat().map(({ id }) => id)).toEqual(many(1_001).map(({ id }) => id));
    expect(batches.flat().some((body) => "sources" in body)).toBe(false);
    expect(saveBatches([])).toEqual([]);
  });

  test("within the byte limit of a body, also for 500 long Japanese captions", () => {
    const batches = saveBatches(many(500, { title: "あ".repeat(2_000), description: "猫".repeat(2_000) }));
    expect(batches.flat()).toHaveLength(500);
    expect(batches.length).toBeGreaterThan(1);
    expect(Math.max(...batches.map(bytesOf))).toBeLessThanOrEqual(SAVE_BYTES_MAX);
    // Each batch is filled before the next one starts.
    expect(bytesOf(batches[0])).toBeGreaterThan(SAVE_BYTES_MAX - 13_000);
  });

  test("a video that is too large is alone and does not block others", () => {
    const huge = video(2, { description: "x".repeat(SAVE_BYTES_MAX + CAPTION_MAX) });
    expect(saveBatches([video(1), huge, video(3)]).map((batch) => batch.map(({ id }) => id))).toEqual([[1], [2], [3]]);
  });

  test("R-VID-29 a failed save says how many videos were saved", () => {
    expect(partlySavedText(0, 700)).toBe("");
    expect(partlySavedText(200, 700)).toContain("200 of 700 videos were saved");
  });
});
