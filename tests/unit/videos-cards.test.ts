import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { AVATAR, HEART, PLAY, pageOf } from "#tests/support/video-pages/fixture.ts";

const ID = "763869554322251914";
const IMAGE = 'src="https://p16.tiktokcdn.com/a.jpeg"';
const href = (n: number, author = "ann"): string => `/@${author}/video/${ID}${n}`;
const link = (n: number, alt = "Soup"): string => `<a href="${href(n)}"><img alt="${alt}" ${IMAGE}></a>`;
const item = (n: number): string => `<div><div data-e2e="user-post-item">${link(n)}</div></div>`;
const found = (html: string): string[] => extract(html).videos.map(({ video_url }) => video_url.slice(-1));

/** A notification of a liked video: the user, what happened, and the video's thumbnail. */
const notification = (n: number, alt = ""): string =>
  `<li><div data-e2e="inbox-list-item" class="css-${n}-DivItemContainer"><a href="/@bob">${AVATAR("bob")}</a><a href="/@bob" data-e2e="inbox-title">Bob</a>` +
  `<p data-e2e="inbox-content"><span>liked your video.</span> 4m ago</p><a href="${href(n)}"><img alt="${alt}" ${IMAGE}></a></div></li>`;

describe("lists of notifications and messages", () => {
  const many = (alt = "") => Array.from({ length: 9 }, (_, n) => notification(n, alt)).join("");

  test.each([
    [
      "an open inbox",
      `<div data-e2e="inbox-notifications" class="css-75q"><div data-e2e="inbox-list"><ul>${many()}</ul></div></div>`,
    ],
    [
      "an inbox with descriptions of the thumbnails",
      `<div data-e2e="inbox-notifications"><ul>${many("Your video")}</ul></div>`,
    ],
    [
      "an inbox known by its class",
      `<div class="css-1-a2--DivInboxContainer e1"><ul>${many("Your video").replaceAll("data-e2e", "data-x")}</ul></div>`,
    ],
    [
      "notifications known by their class",
      `<div class="tiktok-1-DivNotificationList"><ul>${many("x").replaceAll("data-e2e", "data-x")}</ul></div>`,
    ],
    ["an inbox known by nothing", `<ul>${many().replaceAll("data-e2e", "data-x")}</ul>`],
    ["a list of messages", `<div data-e2e="chat-list-item">${link(1)}<strong data-e2e="like-count">5</strong></div>`],
    ["conversations", `<ul data-e2e="conversation-list"><li>${link(1)}</li></ul>`],
    [
      "comments with videos",
      `<div data-e2e="comment-level-1"><p>a reply</p>${link(1)}</div><p data-e2e="comment-text">${link(2)}</p>`,
    ],
    [
      "comments known by their class",
      `<div class="css-1-DivCommentListContainer"><div>${link(1, "A reply")}</div></div>`,
    ],
    ["a comment known by its class", `<div class="css-7-DivCommentObjectWrapper">${link(1, "A reply")}</div>`],
    ["messages known by their class", `<div class="css-2-DivConversationListContainer">${link(1)}${link(2)}</div>`],
  ])("R-VID-22 are no videos: %s", (_, drawer) => {
    for (const html of [drawer + item(9), item(9) + drawer, `<div>${item(8)}${drawer}${item(9)}</div>`]) {
      const wanted = html.startsWith("<div><div><div") ? ["8", "9"] : ["9"];
      expect(found(pageOf(html)), html.slice(0, 40)).toEqual(wanted);
    }
  });

  test("R-VID-22 an inbox beside a video gives it neither hashtags nor likes, and hides no data", () => {
    const drawer = `<div data-e2e="inbox-notifications"><a href="/tag/inbox">#inbox</a><strong data-e2e="like-count">7</strong>${notification(3)}`;
    const data = `<script id="SIGI_STATE">{"ItemModule":{"1":{"id":"${ID}9","desc":"From data","createTime":1,"author":"ann"}}}</script>`;
    expect(extract(pageOf(`<div>${item(9)}${drawer}</div></div>${data}`)).videos).toMatchObject([
      { title: "From data", hashtags: [], likes_count: null },
    ]);
    // Cut off within the inbox, and followed by more.
    expect(found(`${item(8)}${drawer}<ul><li>${item(9)}`)).toEqual(["8", "9"]);
  });

  test("R-VID-22 a link with a thumbnail is a video if it has a text or a figure too", () => {
    expect(found(pageOf(`<p>${link(1, "")}</p>`))).toEqual([]);
    expect(found(pageOf(`<p>${link(1)}</p>`))).toEqual(["1"]);
    expect(found(pageOf(`<p>${link(1, "")}<strong data-e2e="video-views">1</strong></p>`))).toEqual(["1"]);
    expect(found(pageOf(`<p><a href="${href(1)}" title="Soup"><img ${IMAGE}></a></p>`))).toEqual(["1"]);
  });
});

const MAIN =
  '<a href="/@eve"><span data-e2e="browse-username">eve</span></a><h1 data-e2e="browse-video-desc">Bread</h1>';
const CANONICAL = `<link rel="canonical" href="https://www.tiktok.com/@eve/video/${ID}0">`;
const LIKES = (count: string) => `<button><strong data-e2e="like-count">${count}</strong></button>`;
const likesOf = (body: string) =>
  extract(pageOf(body, CANONICAL)).videos.map(({ video_url, likes_count, views_count }) => [
    video_url.slice(-1),
    likes_count,
    views_count,
  ]);

describe("figures of the main video and of related ones", () => {
  const column = (...cards: string[]) => `<div class="css-1-DivRelated">${cards.join("")}</div>`;
  const card = (n: number, inner: string, before = "") =>
    `<div class="css-2-DivItem">${before}<div><div>${link(n)}</div></div><div>${inner}</div></div>`;

  test("R-VID-22 each likes count belongs to its own card", () => {
    const main = `<div><div>${MAIN}</div><div>${LIKES("5")}</div></div>`;
    const related = column(card(1, LIKES("11")), card(2, LIKES("12")), card(3, ""));
    const all = [
      ["0", "5", null],
      ["1", "11", null],
      ["2", "12", null],
      ["3", null, null],
    ];
    expect(likesOf(main + related)).toEqual(all);
    expect(likesOf(related + main)).toEqual(all);
    expect(likesOf(`<div>${LIKES("5")}</div><div>${MAIN}</div>${related}`)).toEqual(all);
  });

  test("R-VID-22 the main video gets no likes of related ones when it shows none", () => {
    expect(likesOf(`<div>${MAIN}</div>${column(card(1, LIKES("11")), card(2, ""))}`)).toEqual([
      ["0", null, null],
      ["1", "11", null],
      ["2", null, null],
    ]);
  });

  test("R-VID-22 a figure above its card's link belongs to that card", () => {
    const related = column(card(1, "", LIKES("11")), card(2, "", LIKES("12")));
    const cards = [
      ["1", "11", null],
      ["2", "12", null],
    ];
    expect(likesOf(`<div>${MAIN}</div>${related}`)).toEqual([["0", null, null], ...cards]);
    expect(likesOf(`<div>${MAIN}${LIKES("5")}</div>${related}`)).toEqual([["0", "5", null], ...cards]);
  });

  test("R-VID-22 views beside a related card are its own, and a play icon does not turn likes into views", () => {
    const views = `<svg>${PLAY}</svg><strong data-e2e="video-views">1.2M</strong>`;
    const heart = `<svg>${HEART}</svg><strong data-e2e="video-views">8K</strong>`;
    const related = column(card(1, views), card(2, heart), card(3, `<svg>${PLAY}</svg>${LIKES("13")}`));
    expect(likesOf(`<div>${MAIN}${LIKES("5")}</div>${related}`)).toEqual([
      ["0", "5", null],
      ["1", null, "1.2M"],
      ["2", "8K", null],
      ["3", "13", null],
    ]);
  });

  test("R-VID-22 a video opened over a profile keeps the views of its tile", () => {
    const tile = (n: number) =>
      `<div data-e2e="user-post-item"><a href="${href(n, "eve")}"><img alt="Tile ${n}" ${IMAGE}><strong data-e2e="video-views">${n}K</strong></a></div>`;
    const open = `<div class="css-1-DivBrowserModeContainer"><div id="xgwrapper-0-${ID}2"></div>${MAIN}<strong data-e2e="browse-like-count">7</strong></div>`;
    expect(likesOf(`<div>${tile(1)}${tile(2)}</div>${open}`)).toEqual([
      ["2", "7", "2K"],
      ["1", null, "1K"],
    ]);
  });

  test("R-VID-22 likes within a list element belong to it", () => {
    const related = `<div data-e2e="related-video-item"><a href="${href(1)}"><img alt="Pie" ${IMAGE}></a>${LIKES("11")}</div>`;
    expect(likesOf(`<div>${MAIN}</div><div>${related}</div>`)).toEqual([
      ["0", null, null],
      ["1", "11", null],
    ]);
  });

  test("R-VID-24 countless likes and links take linear time", () => {
    const html = `<div>${LIKES("1")}`.repeat(20_000) + `<p>${link(1)}</p>${LIKES("1")}`.repeat(20_000);
    expect(cpuMsOf(() => extract(html)).cpuMs).toBeLessThan(1_500);
  });
});

const hashtagsOf = (html: string) => extract(pageOf(html)).videos.map(({ hashtags }) => hashtags);

describe("a section's hashtag", () => {
  const tag = (name: string) => `<a href="/tag/${name}"><strong>#${name}</strong></a>`;
  const tagged = (n: number) => `<div data-e2e="explore-item">${link(n, `Soup #t${n}`)}</div>`;

  test.each([
    [
      "in a box around the section",
      `<div class="css-1-DivItemContainerV2">${tag("pasta")}${tagged(1)}${tagged(2)}</div>`,
    ],
    [
      "in a heading",
      `<div class="css-1-DivItemContainer"><h2>${tag("pasta")}</h2>${tagged(1)}</div><div>${tagged(2)}</div>`,
    ],
    [
      "around a heading",
      `<section id="column-item-video-container-0"><a href="/tag/pasta"><h3>#pasta</h3></a>${tagged(1)}</section>${tagged(2)}`,
    ],
    ["between cards", `<div>${tagged(1)}<h2>${tag("pasta")}</h2>${tagged(2)}</div>`],
    ["around a heading between cards", `<div>${tagged(1)}<a href="/tag/pasta"><h2>#pasta</h2></a>${tagged(2)}</div>`],
    [
      "between cards, known by its class",
      `<div>${tagged(1)}<div class="css-9-DivSectionTitle">${tag("pasta")}</div>${tagged(2)}</div>`,
    ],
    [
      "above links in a box without list elements",
      `<div class="css-1-DivItemContainer">${tag("pasta")}${link(1, "Soup #t1")}${link(2, "Soup #t2")}</div>`,
    ],
  ])("R-VID-22 is of no card: %s", (_, html) => {
    expect(hashtagsOf(html)).toEqual([["t1"], ["t2"]]);
  });

  test("R-VID-22 a card keeps the hashtags beside its tile and in a heading within it", () => {
    expect(
      hashtagsOf(`<div><div data-e2e="challenge-item">${link(1)}<h4>${tag("in")}</h4></div><p>${tag("by")}</p></div>`),
    ).toEqual([["in", "by"]]);
  });

  test("R-VID-22 neither a section's image nor its count is the first card's", () => {
    const header = `<img alt="Pasta" src="https://p16.tiktokcdn.com/tag.jpeg"><strong class="css-2-StrongVideoCount">20M</strong>`;
    const html = `<div class="css-1-DivItemContainer">${header}${tagged(1)}</div>`;
    expect(extract(pageOf(html)).videos).toMatchObject([
      { thumbnail_url: "https://p16.tiktokcdn.com/a.jpeg", title: "Soup #t1", views_count: null },
    ]);
  });
});
