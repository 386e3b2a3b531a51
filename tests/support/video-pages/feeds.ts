import { AVATAR, type Fixture, HEART, PLAY, pageOf, video } from "./fixture.ts";

const hashtag2022: Fixture = {
  name: "hashtag of 2022 on a desktop: caption and author beside the tile, and a user's name within the caption's element",
  page: "hashtag",
  html: pageOf(`<h1 data-e2e="challenge-title">#pasta</h1><h2 data-e2e="challenge-vvcount">20.2M videos</h2><div data-e2e="challenge-item-list">
<div class="tiktok-1-DivItemContainerV2"><div data-e2e="challenge-item"><a href="https://www.tiktok.com/@ugo/video/7071182616545936743"><img alt="" src="https://p16.tiktokcdn.com/p.jpeg"></a></div><div data-e2e="challenge-item-desc"><span>Pasta </span><a href="/tag/pasta"><strong>#pasta </strong></a><h4 data-e2e="challenge-item-username">ugo</h4></div></div>
<div class="tiktok-1-DivItemContainerV2"><div data-e2e="challenge-item"><a href="/@eva/video/7071572045525632359"><img alt="Two" src="https://p16.tiktokcdn.com/q.jpeg"></a><svg class="like-icon">${PLAY}</svg><strong data-e2e="video-views">2B</strong></div><a href="/@eva">${AVATAR("eva")}</a></div></div>`),
  videos: [
    video(1, "ugo", "video/7071182616545936743", "2022-03-04T10:00:00.000Z", {
      title: "Pasta #pasta",
      thumbnail_url: "https://p16.tiktokcdn.com/p.jpeg",
      hashtags: ["pasta"],
      sources: { title: "dom", author: "link", thumbnail_url: "dom", date_posted: "id", hashtags: "dom" },
    }),
    video(2, "eva", "video/7071572045525632359", "2022-03-05T11:11:11.000Z", {
      title: "Two",
      thumbnail_url: "https://p16.tiktokcdn.com/q.jpeg",
      views_count: "2B",
      sources: { title: "alt", author: "link", thumbnail_url: "dom", views_count: "dom", date_posted: "id" },
    }),
  ],
};

const hashtag2026: Fixture = {
  name: "hashtag of 2026 on a phone: a link and an alternative text, no counts",
  page: "hashtag",
  html: pageOf(
    `<div data-e2e="challenge-item-list"><div data-e2e="video-item"><a href="https://www.tiktok.com/@eva/video/7638695543222519143"><img alt="One #a created by E with F" src="https://p16.tiktokcdn.com/r.jpeg"></a></div></div>`,
  ),
  videos: [
    video(1, "eva", "video/7638695543222519143", "2026-05-11T18:00:00.000Z", {
      title: "One #a",
      thumbnail_url: "https://p16.tiktokcdn.com/r.jpeg",
      hashtags: ["a"],
      sources: { title: "alt", author: "link", thumbnail_url: "dom", date_posted: "id", hashtags: "alt" },
    }),
  ],
};

const explore2024: Fixture = {
  name: "explore of 2024: likes and never views, the author in the sibling",
  page: "explore",
  html: pageOf(
    `<div data-e2e="explore-item-list"><div id="column-item-video-container-0"><div data-e2e="explore-item"><a href="https://www.tiktok.com/@dan/video/7333972767532074343"><img alt="Light in the rain" src="https://p16.tiktokcdn.com/s.jpeg"><div data-e2e="explore-card-like-container"><svg>${HEART}</svg><span>1.2M</span></div></a></div><div data-e2e="explore-card-desc"><a data-e2e="explore-card-user-link" href="/@dan">${AVATAR("dan")}<span data-e2e="explore-card-user-unique-id">dan</span></a></div></div></div>`,
  ),
  videos: [
    video(1, "dan", "video/7333972767532074343", "2024-02-10T14:00:00.000Z", {
      title: "Light in the rain",
      thumbnail_url: "https://p16.tiktokcdn.com/s.jpeg",
      likes_count: "1.2M",
      sources: { title: "alt", author: "link", thumbnail_url: "dom", likes_count: "dom", date_posted: "id" },
    }),
  ],
};

const discover2024: Fixture = {
  name: "discover of 2024: the link's title is cut, the alternative text is whole; without it the title has to do",
  page: "discover",
  html: pageOf(
    `<div data-e2e="explore-feed-item"><div data-e2e="explore-feed-video"><a title="Light in the… | TikTok" href="https://www.tiktok.com/@dan/video/7333972767532074343"><img alt="Light in the rain" src="https://p16.tiktokcdn.com/s.jpeg"></a></div></div><div data-e2e="explore-feed-item"><div data-e2e="explore-feed-video"><a title="Shadows… | TikTok" href="/@dan/video/7334359314588714343"><img alt="" src="https://p16.tiktokcdn.com/t.jpeg"></a></div></div>`,
  ),
  videos: [
    video(1, "dan", "video/7333972767532074343", "2024-02-10T14:00:00.000Z", {
      title: "Light in the rain",
      thumbnail_url: "https://p16.tiktokcdn.com/s.jpeg",
      sources: { title: "alt", author: "link", thumbnail_url: "dom", date_posted: "id" },
    }),
    video(2, "dan", "video/7334359314588714343", "2024-02-11T15:00:00.000Z", {
      title: "Shadows…",
      thumbnail_url: "https://p16.tiktokcdn.com/t.jpeg",
      sources: { title: "link", author: "link", thumbnail_url: "dom", date_posted: "id" },
    }),
  ],
};

export const FEEDS = [hashtag2022, hashtag2026, explore2024, discover2024];
