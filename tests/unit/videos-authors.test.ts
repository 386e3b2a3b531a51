import { describe, expect, test } from "vitest";
import { analyze } from "#lib/features/videos/engine/analysis.ts";
import { toCsv } from "#lib/features/videos/engine/exports.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { canonicalVideoUrl } from "#lib/features/videos/policy.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";
import { validExtraction } from "#tests/support/video-pages-seeded/valid.ts";

const ID = "7638695543222519141";
const URL = `https://www.tiktok.com/@_/video/${ID}`;
const tile = (href: string): string =>
  `<div data-e2e="challenge-item"><a href="${href}"><img alt="Soup" src="/a.jpeg"></a></div>`;
const item = { id: ID, desc: "Soup", createTime: 1_778_522_400, video: {} };
const player = `<div data-e2e="feed-video"><div id="xgwrapper-0-${ID}"></div><p data-e2e="video-desc">Soup</p></div>`;

describe("a video without an author", () => {
  test.each([
    ["a link without a name", pageOf(tile(`/video/${ID}`))],
    ["a link with an empty name", pageOf(tile(`/@/video/${ID}`))],
    ["a link with an invalid name", pageOf(tile(`/@Frühling/video/${ID}`))],
    ["our own link", pageOf(tile(URL))],
    ["an article with a player", pageOf(player)],
    ["an API response", JSON.stringify({ itemList: [item] })],
    ["an API response with an invalid author", JSON.stringify({ itemList: [{ ...item, author: "no name" }] })],
  ])("R-VID-08, R-VID-22 is kept, and its link leads to it: %s", (_, text) => {
    const extraction = extract(text);
    expect(extraction.videos).toMatchObject([{ id: 1, video_url: URL, title: "Soup", author: null, author_url: null }]);
    expect(extraction.skipped).toEqual([]);
    expect(validExtraction.safeParse(extraction).error).toBeUndefined();
    expect(canonicalVideoUrl(URL)).toBe(URL);
  });

  test("R-VID-08 gets its author from elsewhere", () => {
    const other = pageOf(tile(`/@ann/video/${ID}`));
    for (const text of [pageOf(tile(`/video/${ID}`)) + other, other + JSON.stringify({ itemList: [item] })]) {
      expect(extract(text).videos).toMatchObject([
        { video_url: URL.replace("@_", "@ann"), author: "ann", author_url: "https://www.tiktok.com/@ann" },
      ]);
    }
  });

  test("R-VID-22 data without author and media adds its fields to a video that is shown", () => {
    const bare = { id: ID, desc: "Whole caption", createTime: 1_778_522_400, stats: { playCount: 7 } };
    const shown = tile(`/@ann/video/${ID}`);
    const script = `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { 1: bare } })}</script>`;
    const answer = JSON.stringify({ itemList: [bare] });
    for (const text of [pageOf(script + shown), pageOf(shown) + answer, answer + pageOf(shown)]) {
      expect(extract(text)).toMatchObject({ videos: [{ author: "ann", title: "Whole caption", views_count: "7" }] });
    }
    expect(extract(answer)).toMatchObject({ videos: [], skipped: [{ reason: "no-link", count: 1 }] });
  });

  test("R-VAN-03, R-VID-19 is in the totals and exports, and belongs to no creator", () => {
    const { videos } = extract(pageOf(tile(`/video/${ID}`)));
    expect(analyze(videos, new Set())).toMatchObject({ totalVideos: 1, creators: 0, topCreators: [] });
    expect(toCsv(videos)).toContain(URL);
  });
});
