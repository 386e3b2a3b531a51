import { describe, expect, test } from "vitest";
import { hashtagKey, plainHashtag, uniqueWords, videoAddress } from "#lib/features/videos/policy.ts";
import { saveVideosInput } from "#lib/features/videos/schema.ts";

describe("the address of a video", () => {
  const PLAIN = "https://www.tiktok.com/@moss.kitchen_1/video/7301234567890123456";

  test.each([
    [PLAIN, PLAIN],
    ["http://www.tiktok.com/@moss.kitchen_1/video/7301234567890123456/", PLAIN],
    ["https://m.tiktok.com/@moss.kitchen_1/video/7301234567890123456?is_from_webapp=1&sender=2#top", PLAIN],
    [" HTTPS://TikTok.com/@moss.kitchen_1/video/7301234567890123456\n", PLAIN],
    ["https://www.tiktok.com/@moss/photo/123", "https://www.tiktok.com/@moss/photo/123"],
  ])("A-68 %j has one form", (written, form) => expect(videoAddress(written)).toBe(form));

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
    "https://www.tiktok.com/@moss/video/123/more",
    "https://www.tiktok.com/@mo%00ss/video/123",
    "https://www.tiktok.com/@mo\u0000ss/video/123",
    `https://www.tiktok.com/@moss/video/${"1".repeat(21)}`,
    `https://www.tiktok.com/@${"m".repeat(65)}/video/1`,
  ])("R-VID-31 %j is none", (written) => expect(videoAddress(written)).toBeNull());
});

test("A-73 hashtags are kept without '#', and once whatever their case", () => {
  expect(["#Bread", " ##bread\t", "bread", "#", " "].map(plainHashtag)).toEqual(["Bread", "bread", "bread", "", ""]);
  expect(hashtagKey("#ÉCLAIR ")).toBe("éclair");
  expect(uniqueWords(["Bread", "", "bread", "__proto__", "constructor"])).toEqual([
    "Bread",
    "__proto__",
    "constructor",
  ]);
});

describe("lists that are made to be slow", () => {
  const refusedAs = (videos: unknown) => saveVideosInput.safeParse({ videos }).error?.issues;

  test("R-API-23 two million videos are refused by their number, with one line", () => {
    expect(refusedAs(Array.from({ length: 2_000_000 }, () => 0))).toMatchObject([
      { path: ["videos"], message: "At most 500 videos can be saved at once." },
    ]);
  });

  test("R-API-23 so are hashtags by the hundred thousand", () => {
    const video = {
      video_url: "https://www.tiktok.com/@moss/video/1",
      hashtags: Array.from({ length: 300_000 }, () => 0),
    };
    expect(refusedAs([video])).toMatchObject([{ path: ["videos", 0, "hashtags"] }]);
  });
});
