import { describe, expect, test } from "vitest";
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
