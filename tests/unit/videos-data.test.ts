import { describe, expect, test } from "vitest";
import { arrangeVideos } from "#components/videos/video-texts.ts";
import { analyze } from "#lib/features/videos/engine/analysis.ts";
import { toJson, toNdjson } from "#lib/features/videos/engine/exports.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { saveVideosInput } from "#lib/features/videos/schema.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";

/** Ids of 2026-05-11, whose order is not that of the upload times. */
const ID = "763869554322251914";
const item = (n: number, more: Record<string, unknown> = {}) => ({
  id: `${ID}${n}`,
  desc: `Video ${n}`,
  author: { uniqueId: "ann" },
  ...more,
});
const answerOf = (...items: unknown[]): string => JSON.stringify({ itemList: items });
const timesOf = (html: string) =>
  extract(html).videos.map(({ uploaded_at, date_posted, sources }) => [uploaded_at, date_posted, sources.date_posted]);

describe("the upload time", () => {
  const FROM_ID = ["2026-05-11T18:00:00.000Z", "2026-05-11", "id"];

  test.each([
    ["a number", 1_700_000_000, ["2023-11-14T22:13:20.000Z", "2023-11-14", "json"]],
    ["text", "1700000000", ["2023-11-14T22:13:20.000Z", "2023-11-14", "json"]],
    ["0", 0, FROM_ID],
    ["missing", undefined, FROM_ID],
    ["empty", "", FROM_ID],
    ["in milliseconds", 1_700_000_000_000, FROM_ID],
    ["no number", "yesterday", FROM_ID],
  ])("R-VID-22 of the data comes before the id's, when it is a time: %s", (_, createTime, time) => {
    const data = item(1, { createTime, video: {}, stats: {} });
    expect(timesOf(answerOf(data))).toEqual([time]);
    const card = `<div data-e2e="user-post-item"><a href="/@ann/video/${ID}1"><img alt="x" src="/a.jpeg"></a></div>`;
    const script = `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { 1: data } })}</script>`;
    expect(timesOf(pageOf(script + card))).toEqual([time]);
  });

  test("R-VID-22 of another page counts when the first one's is no time", () => {
    const [first, second] = [item(1, { createTime: 0, video: {} }), item(1, { createTime: 1_700_000_000, video: {} })];
    for (const text of [answerOf(first) + answerOf(second), answerOf(second) + answerOf(first)]) {
      expect(timesOf(text)).toEqual([["2023-11-14T22:13:20.000Z", "2023-11-14", "json"]]);
    }
  });

  test("R-VID-22 lists by time have the newest first, by the data's time", () => {
    const { videos } = extract(
      answerOf(
        ...[3, 1, 2].map((n) => item(n, { createTime: 1_700_000_000 + n * 86_400, video: {} })),
        item(4, { stats: {}, video: {} }),
      ),
    );
    const titles = (sort: "newest" | "oldest") => arrangeVideos(videos, "", sort).map(({ title }) => title);
    expect(titles("newest")).toEqual(["Video 4", "Video 3", "Video 2", "Video 1"]);
    expect(titles("oldest")).toEqual(["Video 1", "Video 2", "Video 3", "Video 4"]);
    expect(analyze(videos, new Set()).byUpload.map(({ day }) => day)).toEqual([
      ...["2023-11-15", "2023-11-16", "2023-11-17", "2026-05-11"],
    ]);
  });
});

describe("the element of the data", () => {
  const data = item(1, { createTime: 1_700_000_000 });

  test.each([
    ["SIGI_STATE", JSON.stringify({ ItemModule: { 1: data } })],
    [
      "sigi-persisted-data",
      `window['SIGI_STATE']=${JSON.stringify({ ItemModule: { 1: data } })};window['SIGI_RETRY']={}`,
    ],
    ["api-data", JSON.stringify({ videoDetail: { itemInfo: { itemStruct: data } } })],
    ["__NEXT_DATA__", JSON.stringify({ props: { pageProps: { itemInfo: { itemStruct: data } } } })],
  ])("R-VID-22 %s", (id, text) => {
    expect(extract(pageOf(`<script id="${id}">${text}</script>`)).videos).toMatchObject([{ title: "Video 1" }]);
    expect(extract(pageOf(`<script id="x-${id}">${text.replace("window", "x")}</script>`)).videos).toEqual([]);
  });
});

describe("the duration", () => {
  const durationOf = (duration: unknown) =>
    extract(answerOf(item(1, { createTime: 1, video: { duration } }))).videos.map((video) => video.duration_seconds);

  test.each([
    [15, 15],
    ["61", 61],
    [9.6, 10],
    [86_400, 86_400],
    [0, null],
    [-3, null],
    [86_401, null],
    [1e300, null],
    ["", null],
    ["long", null],
    [null, null],
    [[15], null],
    [undefined, null],
  ])("R-VID-22 %j in the data is %j seconds", (written, seconds) => {
    expect(durationOf(written)).toEqual([seconds]);
  });

  const timed = item(1, { createTime: 1_700_000_000, video: { duration: 75 } });
  const card = `<div data-e2e="user-post-item"><a href="/@ann/video/${ID}1"><img alt="x" src="/a.jpeg"></a></div>`;

  test("R-VID-22 joins what the page shows, also from another page", () => {
    const script = `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { 1: timed } })}</script>`;
    for (const html of [pageOf(script + card), pageOf(card) + answerOf(timed), answerOf(timed) + pageOf(card)]) {
      expect(extract(html).videos).toMatchObject([{ duration_seconds: 75, sources: { duration_seconds: "json" } }]);
    }
    expect(extract(pageOf(card)).videos).toMatchObject([{ duration_seconds: null }]);
  });

  test("R-VID-18, R-VID-19 is in the JSON exports", () => {
    const { videos } = extract(answerOf(timed));
    expect(JSON.parse(toJson(videos))).toMatchObject([{ duration_seconds: 75 }]);
    expect(JSON.parse(toNdjson(videos))).toMatchObject({ duration_seconds: 75 });
  });

  test("R-SAV-14 is saved when it is one", () => {
    const saved = (duration_seconds: unknown) => {
      const { data } = saveVideosInput.safeParse({
        videos: [{ video_url: `https://www.tiktok.com/@ann/video/${ID}1`, duration_seconds }],
      });
      return data ? data.videos[0]?.durationSeconds : "rejected";
    };
    expect([75, 0, null, undefined, ""].map(saved)).toEqual([75, null, null, null, null]);
    expect([-1, 1.5, 86_401, "75", Number.NaN].map(saved)).toEqual(Array(5).fill("rejected"));
  });
});
