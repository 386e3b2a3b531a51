import { read, utils } from "@e965/xlsx";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { KEYWORD_MAX } from "#lib/features/generation/constants.ts";
import { analyze, keywordsFrom } from "#lib/features/videos/engine/analysis.ts";
import { COLUMNS, toCsv, toJson, toNdjson, toXlsx } from "#lib/features/videos/engine/exports.ts";
import { type ExtractedVideo, KEYWORD_LENGTH_MAX } from "#lib/features/videos/engine/types.ts";
import { video } from "#tests/support/video-pages/fixture.ts";

const make = (id: number, author: string, rest: Partial<ExtractedVideo> = {}): ExtractedVideo =>
  video(id, author, `video/${id}`, "2025-03-09T16:00:00.000Z", { sources: {}, ...rest });

const AWKWARD = [
  'A "quoted", title',
  "=HYPERLINK(1)",
  "+1",
  "-5",
  "@me",
  "＝1+1",
  " =late",
  "café 弁当 🌿",
  "<b>bold</b> & co",
  "__proto__",
  "constructor",
];
const videos = AWKWARD.map((title, index) =>
  make(index + 1, "eva", { title, views_count: index === 0 ? "1.2M" : null, hashtags: ["one", "zwei"] }),
);

describe("exports", () => {
  test("R-VID-19 A-81 another CSV reader gets the same cells, and no formula", () => {
    const csv = toCsv(videos);
    expect(csv.startsWith("\uFEFF")).toBe(true);
    expect(csv.split("\r\n")).toHaveLength(AWKWARD.length + 2);
    const [header, ...rows] = parse(csv, { bom: true, record_delimiter: "\r\n", ltrim: false }) as string[][];
    expect(header).toEqual([...COLUMNS]);
    const shown = AWKWARD.map((title) => (/^\s*[=+\-@＝]/.test(title) ? `'${title}` : title));
    expect(rows.map((row) => row[2])).toEqual(shown);
    expect(rows[0]).toEqual([
      "1",
      "https://www.tiktok.com/@eva/video/1",
      'A "quoted", title',
      "eva",
      "https://www.tiktok.com/@eva",
      "",
      "1.2M",
      "2025-03-09",
      "one, zwei",
    ]);
  });

  test("A-81 CSV has exactly the nine fixed columns", () => {
    const [header] = parse(toCsv([make(1, "eva", { duration_seconds: 61 })]), { bom: true }) as string[][];
    expect(header?.join()).toBe("id,video_url,title,author,author_url,thumbnail_url,views_count,date_posted,hashtags");
  });

  test("R-VID-18 JSON and NDJSON survive a round trip", () => {
    const records = videos.map(({ sources: _, ...rest }) => rest);
    expect(JSON.parse(toJson(videos))).toEqual(records);
    const lines = toNdjson(videos).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line))).toEqual(records);
    expect(toNdjson([])).toBe("");
  });

  test("A-81 another XLSX reader gets text cells, views as a number, and no formula", async () => {
    const [first, ...others] = videos;
    const blob = await toXlsx(first ? [{ ...first, duration_seconds: 75 }, ...others] : []);
    const { Sheets, SheetNames } = read(Buffer.from(await blob.arrayBuffer()), { cellFormula: true });
    expect(SheetNames).toEqual(["Videos"]);
    const sheet = Sheets.Videos ?? {};
    const rows = utils.sheet_to_json<Record<string, unknown>>(sheet, { defval: "" });
    const shown = AWKWARD.map((title) => (title in {} ? `${title} ` : title));
    expect(rows.map(({ title }) => title)).toEqual(shown);
    expect(rows[0]).toMatchObject({ duration_seconds: 75 });
    expect(rows.map(({ views }) => views)).toEqual([1_200_000, ...Array(AWKWARD.length - 1).fill(0)]);
    expect(Object.values(sheet).filter((cell) => typeof cell === "object" && cell && "f" in cell)).toEqual([]);
  });
});

describe("analysis", () => {
  const all = [
    make(1, "eva", { views_count: "1.2K", hashtags: ["Soup", "soup", "bread"] }),
    make(2, "Eva", { views_count: "800", hashtags: ["SOUP"] }),
    make(3, "dan", { views_count: null, hashtags: [], uploaded_at: "2025-03-10T00:00:00.000Z" }),
  ];

  test("R-VAN-01 R-VAN-02 A-70 totals, and each hashtag once per video", () => {
    expect(analyze(all, new Set())).toEqual({
      totalVideos: 3,
      totalViews: 2_000,
      creators: 2,
      averageHashtags: 1,
      hashtags: [
        { tag: "Soup", count: 2, percent: 66.7, medianViews: 1_000 },
        { tag: "bread", count: 1, percent: 33.3, medianViews: 1_200 },
      ],
      topCreators: [
        { author: "eva", videos: 2, views: 2_000 },
        { author: "dan", videos: 1, views: 0 },
      ],
      byUpload: [
        { day: "2025-03-09", videos: 2, views: 2_000 },
        { day: "2025-03-10", videos: 1, views: 0 },
      ],
      selected: null,
    });
  });

  test("R-VAN-02 A-73 the first spelling of a hashtag stays, within one video and over all", () => {
    const tagged = [make(1, "eva", { hashtags: ["foo", "FOO"] }), make(2, "dan", { hashtags: ["Foo"] })];
    const { hashtags, selected } = analyze(tagged, new Set([1]));
    expect(hashtags).toMatchObject([{ tag: "foo", count: 2 }]);
    expect(selected?.topHashtags).toEqual(["foo"]);
  });

  test("R-VAN-03 R-CONST-17 the 20 creators with the most videos", () => {
    const many = Array.from({ length: 30 }, (_, n) => make(n + 1, `a${n % 25}`));
    const { topCreators, creators } = analyze(many, new Set());
    expect(creators).toBe(25);
    expect(topCreators).toHaveLength(20);
    expect(topCreators.slice(0, 6).map(({ videos: count }) => count)).toEqual([2, 2, 2, 2, 2, 1]);
  });

  test("R-VAN-05 R-CONST-17 the selection: its three most used hashtags, none, or no selection", () => {
    const tagged = make(4, "eva", { hashtags: ["d", "c", "b", "a"], views_count: "2" });
    expect(analyze([...all, tagged], new Set([3, 4, 99])).selected).toEqual({
      videos: 2,
      views: 2,
      creators: 2,
      topHashtags: ["a", "b", "c"],
    });
    expect(analyze(all, new Set([3])).selected).toMatchObject({ topHashtags: [], creators: 1 });
    expect(analyze([], new Set([1]))).toMatchObject({ averageHashtags: 0, selected: null, hashtags: [] });
  });
});

describe("keywords", () => {
  test("a caption loses tags, mentions and URLs; camel case hashtags become words", () => {
    expect(
      keywordsFrom({
        title: "Tiny garden ideas @eva https://x.example/a?b #SmallGarden #fyp 🌿",
        hashtags: ["SmallGarden", "fyp", "FYP", "DIYProject2024", "сад_на_балконе"],
      }),
    ).toEqual(["Tiny garden ideas 🌿", "small garden", "fyp", "diy project 2024", "сад на балконе"]);
    expect(keywordsFrom({ title: "#only", hashtags: ["only"] })).toEqual(["only"]);
    expect(keywordsFrom({ title: "🌿", hashtags: [] })).toEqual([]);
  });

  test("at most ten, within the length limit", () => {
    expect(KEYWORD_LENGTH_MAX).toBe(KEYWORD_MAX);
    const many = keywordsFrom({
      title: "word ".repeat(100),
      hashtags: Array.from({ length: 20 }, (_, n) => `tag${n}`),
    });
    expect(many).toHaveLength(10);
    expect(many[0]?.length).toBe(199);
  });
});
