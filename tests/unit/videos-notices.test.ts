import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";

/** Stands at the side of each page that is seen without an account. */
const SIDE_BAR = "<p>Log in to follow creators, like videos, and view comments.</p>";
const HASHTAG = '<h1 data-e2e="challenge-title">#pasta</h1>';
const LOG_IN_WAYS = '<div data-e2e="channel-item">Use QR code</div><div data-e2e="channel-item">Use phone</div>';

describe("why a page that is seen without an account has no videos", () => {
  test.each([
    ["a hashtag's header", `${SIDE_BAR}${HASHTAG}`, "not-loaded"],
    ["a hashtag's header, and ways to log in", `${LOG_IN_WAYS}${HASHTAG}`, "not-loaded"],
    ["a header, and words of a log-in", `<p>Log in to TikTok</p>${HASHTAG}`, "not-loaded"],
    ["a video that is gone", `${SIDE_BAR}<p>Video currently unavailable</p>`, "removed"],
    ["an account that is not there, and ways to log in", `${LOG_IN_WAYS}<p>Couldn't find this account</p>`, "removed"],
    ["a search that failed", `${SIDE_BAR}${LOG_IN_WAYS}<h2>Something went wrong</h2>`, "search-failed"],
    ["the side bar alone", SIDE_BAR, "no-videos"],
    ["a page to log in", `${LOG_IN_WAYS}<h2>Log in to TikTok</h2>`, "log-in"],
    ["words of a log-in alone", "<h2>Log in to continue</h2>", "log-in"],
    ["a log-in that covers the page", `${HASHTAG}<div data-e2e="login-modal"></div>`, "log-in"],
  ])("A-77 %s", (_, body, notice) => {
    expect(extract(pageOf(body))).toMatchObject({ videos: [], notice });
  });
});
