import { type Fixture, pageOf } from "./fixture.ts";

const scope = (value: unknown): string =>
  `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify({ __DEFAULT_SCOPE__: value })}</script>`;

/** Pages without videos, each with the expected notice. */
export const WITHOUT_VIDEOS: Fixture[] = [
  {
    name: "text of another kind",
    html: "Dear diary, nothing today.",
    page: "unknown",
    notice: "no-videos",
    videos: [],
  },
  { name: "nothing but spaces", html: " \n ", page: "unknown", notice: "no-videos", videos: [] },
  {
    name: "a captcha",
    html: pageOf('<div id="captcha_container"><div>Security Check</div></div>'),
    page: "unknown",
    notice: "captcha",
    videos: [],
  },
  {
    name: "a page to log in",
    html: pageOf('<div data-e2e="login-title">Log in to TikTok</div>'),
    page: "unknown",
    notice: "log-in",
    videos: [],
  },
  {
    name: "a removed video",
    html: pageOf(`${scope({ "webapp.video-detail": { statusCode: 10204 } })}<p>Log in</p>`),
    page: "unknown",
    notice: "removed",
    videos: [],
  },
  {
    name: "a search that failed",
    html: pageOf('<h2 data-e2e="search-error-title">Something went wrong</h2>'),
    page: "unknown",
    notice: "search-failed",
    videos: [],
  },
  {
    name: "a hashtag's header without items",
    html: pageOf('<h1 data-e2e="challenge-title">#pasta</h1><div data-e2e="challenge-item-list"></div>'),
    page: "unknown",
    notice: "not-loaded",
    videos: [],
  },
  {
    name: "a page with data of the account alone",
    html: pageOf(scope({ "webapp.user-detail": { userInfo: { user: { uniqueId: "x" } } } })),
    page: "unknown",
    notice: "not-loaded",
    videos: [],
  },
  {
    name: "links to videos without an image, as an inbox has them, and links elsewhere",
    html: pageOf(
      '<a href="/@eva/video/7638695543222519143">liked your video</a><a href="https://evil.example/@eva/video/7638695543222519143"><img alt="x" src="https://evil.example/x.png"></a><a href="javascript:alert(1)//@eva/video/7638695543222519143"><img alt="x" src="https://evil.example/x.png"></a>',
    ),
    page: "unknown",
    notice: "no-videos",
    videos: [],
  },
];
