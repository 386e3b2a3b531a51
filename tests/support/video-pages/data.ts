import { type Fixture, PLAY, pageOf, video } from "./fixture.ts";

const script = (id: string, value: unknown): string =>
  `<script id="${id}" type="application/json">${JSON.stringify(value).replaceAll("<", "\\u003C")}</script>`;
const IN_DATA = {
  title: "json",
  author: "json",
  thumbnail_url: "json",
  views_count: "json",
  likes_count: "json",
  duration_seconds: "json",
} as const;

const itemOld = {
  id: "7071182616545936743",
  desc: "Bread #bread",
  createTime: "1646388005",
  author: "ugo",
  nickname: "Ugo",
  video: { cover: "https://p16.tiktokcdn.com/cover.jpeg", duration: 15 },
  stats: { playCount: 1_234_567, diggCount: 89 },
  challenges: [{ title: "bread" }, { title: "__proto__" }],
};
const itemNew = {
  id: "7479840164825744743",
  desc: "Hat #knit",
  createTime: "1741536012",
  author: { uniqueId: "knit_tom", nickname: "Tom" },
  video: { cover: "", originCover: "https://p16.tiktokcdn.com/origin.jpeg", duration: 61.4 },
  stats: { playCount: 100, diggCount: 5 },
  statsV2: { playCount: "4000000000", diggCount: "5" },
  textExtra: [{ hashtagName: "knit" }, { hashtagName: "" }],
};

const profile2022: Fixture = {
  name: "profile of 2022: exact counts from SIGI_STATE, one video in the data alone",
  page: "profile",
  html: pageOf(
    `${script("SIGI_STATE", { AppContext: { trap: '<div data-e2e="user-post-item">' }, ItemModule: { "7071182616545936743": itemOld, "7071572045525632359": { ...itemOld, id: "7071572045525632359", desc: "", challenges: [] } } })}<div data-e2e="user-post-item-list"><div data-e2e="user-post-item"><a href="/@ugo/video/7071182616545936743"><img alt="Bre…" src="https://p16.tiktokcdn.com/u.jpeg"><svg>${PLAY}</svg><strong data-e2e="video-views">1.2M</strong></a></div></div>`,
  ),
  videos: [
    video(1, "ugo", "video/7071182616545936743", "2022-03-04T10:00:05.000Z", {
      title: "Bread #bread",
      thumbnail_url: "https://p16.tiktokcdn.com/cover.jpeg",
      views_count: "1234567",
      likes_count: "89",
      duration_seconds: 15,
      hashtags: ["bread", "__proto__"],
      sources: { ...IN_DATA, author: "link", date_posted: "json", hashtags: "json" },
    }),
    video(2, "ugo", "video/7071572045525632359", "2022-03-04T10:00:05.000Z", {
      thumbnail_url: "https://p16.tiktokcdn.com/cover.jpeg",
      views_count: "1234567",
      likes_count: "89",
      duration_seconds: 15,
      sources: {
        author: "json",
        thumbnail_url: "json",
        views_count: "json",
        likes_count: "json",
        date_posted: "json",
        duration_seconds: "json",
      },
    }),
  ],
};

const watchedBody = (author: string, caption: string): string =>
  `<div class="css-1-DivVideoContainer"><a href="/@${author}"><span data-e2e="browse-username">${author}</span></a><span data-e2e="browser-nickname"><span>Tom</span><span> · </span><span>3-9</span></span><div data-e2e="browse-video-desc"><span data-e2e="new-desc-span">${caption} </span><a data-e2e="search-common-link" href="/tag/knit"><strong>#knit</strong></a></div><strong data-e2e="like-count">161.6K</strong><strong data-e2e="comment-count">12</strong></div><div class="css-2-DivRelated"><a href="/@dan/video/7333972767532074343"><img alt="Related" src="https://p16.tiktokcdn.com/s.jpeg"></a></div>`;

const related = (id: number) =>
  video(id, "dan", "video/7333972767532074343", "2024-02-10T14:00:00.000Z", {
    title: "Related",
    thumbnail_url: "https://p16.tiktokcdn.com/s.jpeg",
    sources: { title: "alt", author: "link", thumbnail_url: "dom", date_posted: "id" },
  });

const detail = { __DEFAULT_SCOPE__: { "webapp.video-detail": { statusCode: 0, itemInfo: { itemStruct: itemNew } } } };

const video2025: Fixture = {
  name: "video of 2025: data and page agree; the related video is another",
  page: "video",
  html: pageOf(script("__UNIVERSAL_DATA_FOR_REHYDRATION__", detail) + watchedBody("knit_tom", "Hat")),
  videos: [
    video(1, "knit_tom", "video/7479840164825744743", "2025-03-09T16:00:12.000Z", {
      title: "Hat #knit",
      thumbnail_url: "https://p16.tiktokcdn.com/origin.jpeg",
      views_count: "4000000000",
      likes_count: "5",
      date_posted: "3-9",
      duration_seconds: 61,
      hashtags: ["knit"],
      sources: { ...IN_DATA, date_posted: "dom", hashtags: "json", author: "dom" },
    }),
    related(2),
  ],
};

const videoStale: Fixture = {
  name: "video after navigation: the data is of the video before, so that neither lends its id to the other",
  page: "video",
  html: pageOf(script("__UNIVERSAL_DATA_FOR_REHYDRATION__", detail) + watchedBody("someone.else", "Bread")),
  videos: [related(1)],
  skipped: { "no-link": 1, "not-shown": 1 },
};

const video2023: Fixture = {
  name: "video of 2023 saved to disk: its address stands in the head alone",
  page: "video",
  html: `<!-- saved from url=(0059)https://www.tiktok.com/@knit_tom/video/7479840164825744743 -->${pageOf(watchedBody("knit_tom", "Hat"))}`,
  videos: [
    video(1, "knit_tom", "video/7479840164825744743", "2025-03-09T16:00:00.000Z", {
      title: "Hat #knit",
      likes_count: "161.6K",
      date_posted: "3-9",
      hashtags: ["knit"],
      sources: { title: "dom", author: "dom", likes_count: "dom", date_posted: "dom", hashtags: "dom" },
    }),
    related(2),
  ],
};

const inAnswer = (id: number) =>
  video(id, "knit_tom", "video/7479840164825744743", "2025-03-09T16:00:12.000Z", {
    title: "Hat #knit",
    thumbnail_url: "https://p16.tiktokcdn.com/origin.jpeg",
    views_count: "4000000000",
    likes_count: "5",
    duration_seconds: 61,
    hashtags: ["knit"],
    sources: { ...IN_DATA, date_posted: "json", hashtags: "json" },
  });

const answers: Fixture[] = [
  {
    name: "answer of a search, broken off in its second entry",
    page: "api",
    html: `{"status_code":0,"data":[{"type":1,"common":{"a":{}},"item":${JSON.stringify(itemNew)}},{"type":1,"item":{"id":"74802267`,
    videos: [inAnswer(1)],
    skipped: { "bad-json": 1 },
  },
  {
    name: "answer of a list, with an id that is a number and lost its last digits",
    page: "api",
    html: JSON.stringify(
      { itemList: [{ ...itemNew, id: 7_479_840_164_825_745_000 }, itemNew], hasMore: true },
      null,
      2,
    ),
    videos: [inAnswer(1)],
    skipped: { "bad-id": 1 },
  },
  {
    name: "answer of a list in older writing",
    page: "api",
    html: JSON.stringify({ item_list: [itemNew] }),
    videos: [inAnswer(1)],
  },
];

export const DATA = [profile2022, video2025, videoStale, video2023, ...answers];
