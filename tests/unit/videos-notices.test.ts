import { describe, expect, test } from "vitest";
import { NOTICE_TEXTS } from "#components/videos/video-texts.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";

/** Appears beside every page for signed-out visitors. */
const SIDEBAR = "<p>Log in to follow creators, like videos, and view comments.</p>";
const HASHTAG = '<h1 data-e2e="challenge-title">#pasta</h1>';
const LOGIN_OPTIONS = '<div data-e2e="channel-item">Use QR code</div><div data-e2e="channel-item">Use phone</div>';

describe("why a public page has no videos", () => {
  test.each([
    ["a hashtag's header", `${SIDEBAR}${HASHTAG}`, "not-loaded"],
    ["a hashtag's header, and login options", `${LOGIN_OPTIONS}${HASHTAG}`, "not-loaded"],
    ["a header, and a login text", `<p>Log in to TikTok</p>${HASHTAG}`, "not-loaded"],
    ["a deleted video", `${SIDEBAR}<p>Video currently unavailable</p>`, "removed"],
    ["a missing account, and login options", `${LOGIN_OPTIONS}<p>Couldn't find this account</p>`, "removed"],
    ["a search that failed", `${SIDEBAR}${LOGIN_OPTIONS}<h2>Something went wrong</h2>`, "search-failed"],
    ["only the sidebar", SIDEBAR, "no-videos"],
    ["a login page", `${LOGIN_OPTIONS}<h2>Log in to TikTok</h2>`, "log-in"],
    ["only a login text", "<h2>Log in to continue</h2>", "log-in"],
    ["a log-in that covers the page", `${HASHTAG}<div data-e2e="login-modal"></div>`, "log-in"],
  ])("A-77 %s", (_, body, notice) => {
    expect(extract(pageOf(body))).toMatchObject({ videos: [], notice });
  });
});

describe("pages that TikTok refuses to show", () => {
  const FAILED = "<h2>Something went wrong</h2><p>Sorry about that! Please try again later.</p>";

  test.each([
    ["an error", FAILED, "search-failed"],
    ["an error below a header", `${HASHTAG}${SIDEBAR}${FAILED}`, "search-failed"],
    ["a removed video", `${SIDEBAR}<p>This video was removed</p>`, "removed"],
    ["an unavailable video", "<p>This video is unavailable</p>", "removed"],
    ["an unavailable video, in parts", "<p><span>This video</span>\n isn&rsquo;t available</p>", "removed"],
    [
      "a video that is no longer available",
      '<div data-e2e="video-desc"></div>This post is no longer available',
      "removed",
    ],
    ["a private account", "<h2 data-e2e='user-title'>x</h2><p>This account is private</p>", "removed"],
    ["a banned account", "<h2 data-e2e='user-title'>x</h2><p>This account has been banned</p>", "removed"],
    ["a private video", "<p>This video is private</p>", "removed"],
    ["a missing account", "<p>Couldn&#x27;t find this account</p>", "removed"],
    [
      "a video behind a login",
      `<div data-e2e="video-author-uniqueid"></div><h2>Log in to see this video</h2>`,
      "log-in",
    ],
    ["posts behind a login", `${HASHTAG}<p>Log in<br>to view posts</p>`, "log-in"],
    ["comments behind a login", `${HASHTAG}<p>Log in to see comments</p>`, "not-loaded"],
    ["a video that is available", `${HASHTAG}<p>This video is available</p>`, "not-loaded"],
  ])("A-77 %s", (_, body, notice) => {
    expect(extract(pageOf(body))).toMatchObject({ videos: [], notice });
  });

  test("A-77 each reason has its own text", () => {
    const texts = Object.values(NOTICE_TEXTS).map(({ more }) => more);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe("a phrase that the page does not show", () => {
  const PHRASES = ["Something went wrong", "This video was removed", "Log in to see this video", "Security Check"];
  const json = JSON.stringify({ text: PHRASES.join(". "), html: `<b>${PHRASES[0]}</b>`, list: PHRASES });

  test.each([
    [
      "embedded data",
      `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">${json.replaceAll("<", "\\u003c")}</script>`,
      "not-loaded",
    ],
    ["another script", `<script>var texts = ${json.replaceAll("</", "<\\/")}</script>`, "no-videos"],
    ["data without its element", `<p>${json.replaceAll("<", "&lt;")}</p>`, "no-videos"],
    ["an attribute", `<div data-texts='${json}'></div>`, "no-videos"],
    ["a comment", `<!-- ${json.replaceAll("--", "")} ${PHRASES.join(" ")} -->`, "no-videos"],
    ["a noscript", `<noscript>${PHRASES.join(" ")}</noscript>`, "no-videos"],
    ["a title", `<svg><title>${PHRASES.join(" ")}</title></svg>`, "no-videos"],
  ])("A-77 is no reason: in %s", (_, body, notice) => {
    expect(extract(pageOf(body))).toMatchObject({ videos: [], notice });
  });

  test("A-77 is no reason: in a pasted API response", () => {
    for (const text of [
      json,
      `[${json}]`,
      JSON.stringify(json),
      `${json} ${json}`,
      `${json}<html><p>Hello</p></html>`,
    ]) {
      expect(extract(text), text.slice(0, 20)).toMatchObject({ videos: [], notice: "no-videos" });
    }
    expect(extract('{"statusCode":10204,"itemInfo":{}}')).toMatchObject({ notice: "removed" });
  });

  test("A-77 is no reason beside videos", () => {
    const card =
      '<div data-e2e="user-post-item"><a href="/@a/video/7638695543222519143"><img alt="x" src="/a.jpeg"></a></div>';
    expect(extract(pageOf(`<p>Something went wrong</p>${card}`))).toMatchObject({ videos: [{ id: 1 }], notice: null });
  });
});
