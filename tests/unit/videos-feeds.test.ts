import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { AVATAR, PLAY, pageOf } from "#tests/support/video-pages/fixture.ts";

const ID = "763869554322251914";
const IMAGE = 'src="https://p16.tiktokcdn.com/a.jpeg"';

interface Article {
  n: number;
  author: string;
  caption: string;
  /** Only the players near the visible article are loaded. */
  hasPlayer?: boolean;
  above?: string;
}

/** An article of a feed since 2024: no link to the video, but a player, an author and figures. */
const article = ({ n, author, caption, hasPlayer = true, above = "" }: Article): string =>
  `<article id="one-column-item-${n}" data-scroll-index="${n}" data-e2e="recommend-list-item-container" class="css-1-a--ArticleItemContainer e${n}">
  <div class="css-2-DivContentFlexLayout">${above}<section id="media-card-${n}" data-e2e="feed-video" class="css-3-SectionMediaCardContainer"><canvas></canvas>
    <div class="css-4-DivVideoPlayerContainer"><span><picture><img alt="${caption} created by ${author} with a sound" ${IMAGE}></picture></span>
    ${hasPlayer ? `<div id="xgwrapper-0-${ID}${n}" class="xgplayer-container"><video></video><svg>${PLAY}</svg></div>` : ""}
    <div class="css-5-DivOverlay"><a href="/@${author}" class="css-6-StyledAuthorAnchor"><h3 data-e2e="video-author-uniqueid">${author}</h3></a>
      <div data-e2e="video-desc"><span data-e2e="new-desc-span">${caption} </span><a href="/@friend">@friend</a> <a data-e2e="search-common-link" href="/tag/soup"><strong>#soup</strong></a></div></div></div></section>
  <section class="css-7-SectionActionBarContainer"><a data-e2e="video-author-avatar" href="/@${author}">${AVATAR(author)}</a>
    <button><span data-e2e="like-icon"><svg></svg></span><strong data-e2e="like-count">1${n}.5K</strong></button>
    <button><strong data-e2e="comment-count">77</strong></button><button><strong data-e2e="share-count">5</strong></button></section></div></article>`;

const feedOf = (...articles: string[]): string =>
  `<main id="main-content-homepage_hot"><div id="column-list-container">${articles.join("")}</div></main>`;

const item = (n: number, author: string, desc: string) => ({
  id: `${ID}${n}`,
  desc,
  createTime: "1778522400",
  author: { uniqueId: author },
  video: { cover: "https://p16.tiktokcdn.com/data.jpeg" },
  stats: { playCount: 1_000 + n, diggCount: 100 + n },
});
const dataOf = (scope: unknown): string =>
  `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify({ __DEFAULT_SCOPE__: scope })}</script>`;

describe("feeds", () => {
  test("R-VID-22 each article is a video with its own author, caption, hashtags and likes", () => {
    const repost = '<a href="/@friend">friend reposted</a>';
    const html = feedOf(
      article({ n: 1, author: "ann", caption: "Hot soup" }),
      article({ n: 2, author: "bob.b", caption: "Cold pie", above: repost }),
    );
    const { videos, page, notice, skipped } = extract(pageOf(html));
    expect([page, notice, skipped]).toEqual(["feed", null, []]);
    expect(videos).toMatchObject(
      [
        { video_url: `https://www.tiktok.com/@ann/video/${ID}1`, author: "ann", title: "Hot soup @friend #soup" },
        { video_url: `https://www.tiktok.com/@bob.b/video/${ID}2`, author: "bob.b", title: "Cold pie @friend #soup" },
      ].map((video, n) => ({
        ...video,
        id: n + 1,
        hashtags: ["soup"],
        likes_count: `1${n + 1}.5K`,
        views_count: null,
        thumbnail_url: "https://p16.tiktokcdn.com/a.jpeg",
      })),
    );
  });

  test.each([
    [
      "a list element of 2022 with a link",
      (inner: string) =>
        `<div data-e2e="recommend-list-item-container" class="tiktok-1-DivItemContainer">${inner}</div>`,
    ],
    [
      "an article known by its class",
      (inner: string) => `<article class="css-1-ArticleItemContainer">${inner}</article>`,
    ],
    ["an article known by its id", (inner: string) => `<article id="one-column-item-0">${inner}</article>`],
    [
      "a section in an article",
      (inner: string) => `<article><section data-e2e="feed-video">${inner}</section></article>`,
    ],
  ])("R-VID-22 %s", (_, around) => {
    const inner =
      `<a data-e2e="video-author-avatar" href="/@ann">${AVATAR("ann")}</a><span data-e2e="video-desc">Hot soup with <a href="/@eve/video/${ID}9">this</a></span>` +
      `<a href="/@ann/video/${ID}1"><video></video></a><p><strong data-e2e="like-count">12</strong></p>`;
    const { videos, page } = extract(
      pageOf(`<div>${around(inner)}${around(inner.replace(/1"/, '2"').replace("Hot", "Cold"))}</div>`),
    );
    expect(page).toBe("feed");
    expect(videos[0]).toMatchObject({ author: "ann", title: "Hot soup with this", likes_count: "12" });
    expect(videos.map(({ video_url }) => video_url.slice(-1))).not.toContain("9");
  });

  test("R-VID-22 an article without a player gets its video from the page's data, in the page's order", () => {
    const items = [
      item(1, "ann", "Hot soup @friend #soup"),
      item(2, "bob", "Cold pie @friend #soup"),
      item(3, "bob", "Later"),
    ];
    const html = feedOf(
      article({ n: 1, author: "ann", caption: "Hot soup", hasPlayer: false }),
      article({ n: 2, author: "bob", caption: "Cold pie" }),
      article({ n: 4, author: "eve", caption: "Unknown", hasPlayer: false }),
    );
    const { videos, skipped } = extract(pageOf(dataOf({ "webapp.updated-items": items }) + html));
    expect(videos).toMatchObject([
      { video_url: `https://www.tiktok.com/@ann/video/${ID}1`, views_count: "1001", likes_count: "101" },
      { video_url: `https://www.tiktok.com/@bob/video/${ID}2`, views_count: "1002", likes_count: "102" },
      { video_url: `https://www.tiktok.com/@bob/video/${ID}3`, title: "Later" },
    ]);
    expect(skipped).toMatchObject([{ reason: "no-link", count: 1 }]);
  });

  test("R-VID-22 a feed does not get the data of the page before", () => {
    const html =
      dataOf({ "webapp.updated-items": [item(7, "zoe", "Old")] }) +
      feedOf(article({ n: 1, author: "ann", caption: "Soup" }));
    expect(extract(pageOf(html)).videos.map(({ author }) => author)).toEqual(["ann"]);
  });

  test("R-VID-22 a video page that shows its video as a feed does", () => {
    const head = `<link rel="canonical" href="https://www.tiktok.com/@ann/video/${ID}1">`;
    const related = `<div><a href="/@dan/video/${ID}5"><img alt="Related" ${IMAGE}></a></div>`;
    for (const hasPlayer of [true, false]) {
      const body = `<div>${article({ n: 1, author: "ann", caption: "Hot soup", hasPlayer })}${related}</div>`;
      const { videos, page } = extract(pageOf(body, head));
      expect(page).toBe("video");
      expect(videos).toMatchObject([
        { author: "ann", title: "Hot soup @friend #soup", likes_count: "11.5K" },
        { author: "dan", title: "Related", likes_count: null },
      ]);
    }
  });

  test("R-VID-22 a video page whose player is marked as a feed's: its other parts are beside it, or elsewhere", () => {
    const player = `<section data-e2e="feed-video"><span><img alt="" ${IMAGE}></span><div id="xgwrapper-0-${ID}1"></div></section>`;
    const info =
      `<a href="/@ann"><span data-e2e="browse-username">ann</span></a><span data-e2e="browser-nickname"><b>Ann</b> · 3-9</span>` +
      `<h1 data-e2e="browse-video-desc">Hot soup</h1><strong data-e2e="like-count">12</strong>`;
    const related = `<aside><a href="/@dan/video/${ID}5"><img alt="Related" ${IMAGE}></a><strong data-e2e="like-count">5</strong></aside>`;
    for (const main of [`<div>${player}<div>${info}</div></div>`, `<div><p>${player}</p></div><div>${info}</div>`]) {
      expect(extract(pageOf(`<main>${main}</main>${related}`)).videos, main).toMatchObject([
        {
          video_url: `https://www.tiktok.com/@ann/video/${ID}1`,
          title: "Hot soup",
          likes_count: "12",
          date_posted: "3-9",
        },
        { author: "dan", title: "Related", likes_count: "5" },
      ]);
    }
  });

  test("R-VID-22 a video page's player tells which video it shows", () => {
    const stale = `<link rel="canonical" href="https://www.tiktok.com/@ann/video/${ID}8">`;
    const body = `<div><div id="xgwrapper-0-${ID}1"></div><a href="/@ann"><span data-e2e="browse-username">ann</span></a><p data-e2e="browse-video-desc">Soup</p></div>`;
    expect(extract(pageOf(body, stale)).videos).toMatchObject([
      { video_url: `https://www.tiktok.com/@ann/video/${ID}1` },
    ]);
  });

  test("R-VID-24 countless articles of one author take linear time", () => {
    const items = Array.from({ length: 5_000 }, (_, n) => item(n, "ann", `Video ${n}`));
    const one = article({ n: 1, author: "ann", caption: "None of these", hasPlayer: false });
    const html = dataOf({ "webapp.updated-items": items }) + feedOf(one.repeat(3_000));
    expect(cpuMsOf(() => extract(html)).cpuMs).toBeLessThan(2_500);
  });
});

describe("collections, playlists and tabs of a profile", () => {
  const tile = (n: number, author: string, alt: string) =>
    `<a href="https://www.tiktok.com/@${author}/video/${ID}${n}"><img alt="${alt}" ${IMAGE}><svg class="like-icon">${PLAY}</svg><strong data-e2e="video-views">${n}.2M</strong></a>`;

  test.each([
    ["collection-item", "collection"],
    ["playlist-item", "collection"],
    ["mix-video-item", "collection"],
    ["user-liked-item", "profile"],
    ["user-repost-item", "profile"],
    ["favorites-item", "profile"],
    ["related-video-item", "unknown"],
  ])("R-VID-22 %s: each with its own views", (name, kind) => {
    const box = (inner: string) => `<div class="css-1-DivItemContainerV2">${inner}</div>`;
    const html =
      `<div id="main-content-collection"><h1 data-e2e="collection-title">Soups</h1><div data-e2e="${name}-list">` +
      `${box(`<div data-e2e="${name}">${tile(1, "ann", "")}</div>`)}${box(`<div data-e2e="${name}">${tile(2, "bob", "Pie")}</div>`)}</div></div>`;
    const { videos, page } = extract(pageOf(html));
    expect(page).toBe(kind);
    expect(videos).toMatchObject([
      { author: "ann", title: null, views_count: "1.2M" },
      { author: "bob", title: "Pie", views_count: "2.2M" },
    ]);
  });

  test("R-VID-22 a collection's captions and authors beside the tiles", () => {
    const html = `<div class="css-1-DivItemContainerV2"><div data-e2e="collection-item"><a href="/video/${ID}1"><img alt="" ${IMAGE}></a></div><div data-e2e="collection-item-desc">Soup <a href="/tag/soup"><strong>#soup</strong></a></div><h4 data-e2e="collection-item-username">ann</h4></div>`;
    expect(extract(pageOf(html)).videos).toMatchObject([{ author: "ann", title: "Soup #soup", hashtags: ["soup"] }]);
  });

  test("R-VID-22 a playlist known by its URL alone", () => {
    const head = '<link rel="canonical" href="https://www.tiktok.com/@ann/playlist/Soups-7301">';
    const { videos, page } = extract(pageOf(`<div>${tile(1, "ann", "")}</div><div>${tile(2, "ann", "")}</div>`, head));
    expect([page, videos.map((video) => video.views_count)]).toEqual(["collection", ["1.2M", "2.2M"]]);
  });

  test("R-VID-22 the entries of a playlist that a video page shows, known by their class, without images", () => {
    const entry = (n: number) =>
      `<div class="css-1-DivPlaylistItemContainer"><a href="/@ann/video/${ID}${n}?playlist=1"><p>Part ${n}</p></a></div>`;
    const { videos } = extract(pageOf(`<div class="css-2-DivPlaylistItemList">${entry(1)}${entry(2)}</div>`));
    expect(videos.map(({ video_url }) => video_url.slice(-1))).toEqual(["1", "2"]);
  });
});
