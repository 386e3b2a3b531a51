import { describe, expect, test } from "vitest";
import { TEXTS } from "#lib/features/videos/constants.ts";
import { canonicalVideoUrl, cleanHashtag, hashtagKey, uniqueTexts } from "#lib/features/videos/policy.ts";
import { saveVideosInput } from "#lib/features/videos/schema.ts";
import { toInvalid } from "#lib/server/pipeline.ts";

describe("a video's URL", () => {
  const PLAIN = "https://www.tiktok.com/@moss.kitchen_1/video/7301234567890123456";

  test.each([
    [PLAIN, PLAIN],
    ["http://www.tiktok.com/@moss.kitchen_1/video/7301234567890123456/", PLAIN],
    ["https://m.tiktok.com/@moss.kitchen_1/video/7301234567890123456?is_from_webapp=1&sender=2#top", PLAIN],
    [" HTTPS://TikTok.com/@moss.kitchen_1/video/7301234567890123456\n", PLAIN],
    ["https://www.tiktok.com/@moss/photo/123", "https://www.tiktok.com/@moss/photo/123"],
    ["https://www.tiktok.com/@Moss.Kitchen_1/Video/7301234567890123456", PLAIN],
    [`https://www.tiktok.com/@moss/video/${2n ** 64n - 1n}`, `https://www.tiktok.com/@moss/video/${2n ** 64n - 1n}`],
  ])("A-68 %j is normalized", (written, form) => expect(canonicalVideoUrl(written)).toBe(form));

  test.each([
    "",
    "moss",
    "/@moss/video/123",
    "//www.tiktok.com/@moss/video/123",
    "javascript:alert(1)//www.tiktok.com/@moss/video/123",
    "data:text/html,https://www.tiktok.com/@moss/video/123",
    "ftp://www.tiktok.com/@moss/video/123",
    "https://www.tiktok.com.evil.example/@moss/video/123",
    "https://evil.example/https://www.tiktok.com/@moss/video/123",
    "https://www.tiktok.com@evil.example/@moss/video/123",
    "https://user:word@www.tiktok.com/@moss/video/123",
    "https://www.tiktok.com:8443/@moss/video/123",
    "https://www.tiktok.com/@moss",
    "https://www.tiktok.com/@/video/123",
    "https://www.tiktok.com/@moss/video/",
    "https://www.tiktok.com/@moss/video/12a",
    "https://www.tiktok.com/@moss/video/-1",
    "https://www.tiktok.com/@moss/video/0",
    "https://www.tiktok.com/@moss/video/07301234567890123456",
    `https://www.tiktok.com/@moss/video/${2n ** 64n}`,
    "https://www.tiktok.com/@moss/video/99999999999999999999",
    "https://www.tiktok.com/@moss/video/123/more",
    "https://www.tiktok.com/@mo%00ss/video/123",
    "https://www.tiktok.com/@mo\u0000ss/video/123",
    `https://www.tiktok.com/@moss/video/${"1".repeat(21)}`,
    `https://www.tiktok.com/@${"m".repeat(65)}/video/1`,
  ])("R-VID-31 %j is rejected", (written) => expect(canonicalVideoUrl(written)).toBeNull());
});

test("A-73 hashtags are stored without '#' and without case-insensitive duplicates", () => {
  expect(["#Bread", " ##bread\t", "bread", "#", " "].map(cleanHashtag)).toEqual(["Bread", "bread", "bread", "", ""]);
  expect(hashtagKey("#ÉCLAIR ")).toBe("éclair");
  expect(uniqueTexts(["Bread", "", "bread", "__proto__", "constructor"])).toEqual([
    "Bread",
    "__proto__",
    "constructor",
  ]);
});

describe("oversized lists", () => {
  const refusedAs = (videos: unknown) => saveVideosInput.safeParse({ videos }).error?.issues;

  test("R-API-23 two million videos are rejected with one message", () => {
    expect(refusedAs(Array.from({ length: 2_000_000 }, () => 0))).toMatchObject([
      { path: ["videos"], message: "You can save up to 500 videos at once." },
    ]);
  });

  test("R-API-23 so are 300,000 hashtags", () => {
    const video = {
      video_url: "https://www.tiktok.com/@moss/video/1",
      hashtags: Array.from({ length: 300_000 }, () => 0),
    };
    expect(refusedAs([video])).toMatchObject([{ path: ["videos", 0, "hashtags"] }]);
  });
});

describe("messages about rejected videos", () => {
  const GOOD = { video_url: "https://www.tiktok.com/@moss/video/1" };
  const messagesOf = (wrong: Record<string, unknown> | string) => {
    const { error } = saveVideosInput.safeParse({
      videos: [GOOD, typeof wrong === "string" ? wrong : { ...GOOD, ...wrong }],
    });
    if (!error) return null;
    const { message, fields } = toInvalid(error);
    return [message, Object.keys(fields ?? {})[0]];
  };
  const LONG = "x".repeat(5_001);

  test.each([
    ["another site", { video_url: "https://evil.example" }, `Video 2: ${TEXTS.urlInvalid}`, "videos.1.video_url"],
    ["a long title", { title: LONG }, "Video 2: The title can have up to 5,000 characters.", "videos.1.title"],
    [
      "a long description",
      { description: LONG },
      "Video 2: The description can have up to 5,000 characters.",
      "videos.1.description",
    ],
    ["a number as title", { title: 7 }, "Video 2: The title must be text.", "videos.1.title"],
    [
      "a long author",
      { author: "x".repeat(201) },
      "Video 2: The author can have up to 200 characters.",
      "videos.1.author",
    ],
    ["a count beyond all", { views_count: 1e21 }, "Video 2: The view count is not valid.", "videos.1.views_count"],
    ["a count below 0", { likes_count: -1 }, "Video 2: The like count is not valid.", "videos.1.likes_count"],
    ["no time", { uploaded_at: "yesterday" }, `Video 2: ${TEXTS.timeInvalid}`, "videos.1.uploaded_at"],
    ["no list of hashtags", { hashtags: "#a" }, `Video 2: ${TEXTS.hashtagsInvalid}`, "videos.1.hashtags"],
    [
      "a long hashtag",
      { hashtags: ["a", "x".repeat(101)] },
      "Video 2: A hashtag can have up to 100 characters.",
      "videos.1.hashtags.1",
    ],
    [
      "too many hashtags",
      { hashtags: Array.from({ length: 101 }, (_, n) => `t${n}`) },
      "Video 2: A video can have up to 100 hashtags.",
      "videos.1.hashtags",
    ],
    ["no object", "x", `Video 2: ${TEXTS.notAVideo}`, "videos.1"],
  ])("R-API-23 %s: names the video and the problem", (_, wrong, message, field) => {
    expect(messagesOf(wrong)).toEqual([message, field]);
  });

  test("R-VID-30 accepts a number as a count", () => {
    expect(saveVideosInput.parse({ videos: [{ ...GOOD, views_count: 1_234_567 }] }).videos[0]?.viewsCount).toBe(
      "1234567",
    );
  });
});
