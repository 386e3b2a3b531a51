import { AVATAR, type Fixture, HEART, PIXEL, PLAY, pageOf, video } from "./fixture.ts";

const search2021: Fixture = {
  name: "search of 2021: a box known by its class, views beside the play icon, a caption beside the tile",
  page: "search",
  html: pageOf(`<div class="tiktok-1-DivThreeColumnContainer"><div class="tiktok-9-DivItemContainerForSearch"><div class="tiktok-2-DivWrapper">
    <a href="https://www.tiktok.com/@soup.lena/video/6968732184654071143?lang=en"><span><img alt="" src="https://p16.tiktokcdn.com/one.jpeg?x-expires=9&amp;sig=a%3D"></span>
      <div class="tiktok-3-DivTimeTag">2021-6-1</div></a></div>
    <div class="tiktok-4-DivDesc"><div data-e2e="search-card-video-caption"><span class="tiktok-5-SpanText">Soup &amp; bread for two </span><a href="/tag/soup"><strong>#Soup<!-- --> </strong></a><a href="/tag/d%C3%AEner"><strong>#dîner </strong></a></div>
      <a data-e2e="search-card-user-link" href="/@soup.lena">${AVATAR("lena")}<p data-e2e="search-card-user-unique-id">soup.lena</p></a>
      <div data-e2e="search-card-like-container"><svg class="like-icon tiktok-6-StyledPlay">${PLAY}</svg><strong class="tiktok-7-StrongVideoCount">101.5K</strong></div></div></div></div>`),
  videos: [
    video(1, "soup.lena", "video/6968732184654071143", "2021-06-01T08:00:00.000Z", {
      title: "Soup & bread for two #Soup #dîner",
      thumbnail_url: "https://p16.tiktokcdn.com/one.jpeg?x-expires=9&sig=a%3D",
      views_count: "101.5K",
      date_posted: "2021-6-1",
      hashtags: ["Soup", "dîner"],
      sources: {
        title: "dom",
        author: "link",
        thumbnail_url: "dom",
        views_count: "dom",
        date_posted: "dom",
        hashtags: "dom",
      },
    }),
  ],
};

const search2025: Fixture = {
  name: "search of 2025: likes beside a heart, the caption in the next sibling, a tile that was not scrolled into view",
  page: "search",
  html: pageOf(`<div id="tabs-0-panel-search_top"><div data-e2e="search_top-item-list"><div class="css-a1-b2--DivItemContainerV2 x9"><div data-e2e="search_top-item"><div><div><a href="https://www.tiktok.com/@knit_tom/video/7479840164825744743"><picture><source type="image/avif" srcset="https://p16.tiktokcdn.com/two.avif"><img alt="Knit a hat in an hour #knit created by Tom &amp; Co with Rain with Thunder" src="https://p16.tiktokcdn.com/two.jpeg"></picture><div class="css-c3-d4--DivTimeTag e5">3d ago</div></a></div></div></div><div data-e2e="search-card-desc"><div data-e2e="search-card-video-caption"><span class="css-e5-f6--SpanText g7">Knit a hat in an hour </span><a data-e2e="search-common-link" href="/tag/knit"><strong>#knit </strong></a></div><a data-e2e="search-card-user-link" href="/@knit_tom">${AVATAR("tom")}<p data-e2e="search-card-user-unique-id">knit_tom</p></a><div data-e2e="search-card-like-container"><svg>${HEART}</svg><strong>161.6K</strong></div></div></div>
<div class="css-a1-b2--DivItemContainerV2 x9"><div data-e2e="search_video-item"><a href="/@mia/photo/7480226711882384743"><img src="${PIXEL}" alt="created by Mia with original sound"></a></div><div data-e2e="search-card-desc"><div data-e2e="search-card-like-container"><svg/><strong>88</strong></div></div></div>
<div class="css-a1-b2--DivItemContainerV2 x9"><div data-e2e="search_video-item"><div>Sponsored</div></div></div></div></div>`),
  videos: [
    video(1, "knit_tom", "video/7479840164825744743", "2025-03-09T16:00:00.000Z", {
      title: "Knit a hat in an hour #knit",
      thumbnail_url: "https://p16.tiktokcdn.com/two.jpeg",
      likes_count: "161.6K",
      date_posted: "3d ago",
      hashtags: ["knit"],
      sources: {
        title: "dom",
        author: "link",
        thumbnail_url: "dom",
        likes_count: "dom",
        date_posted: "dom",
        hashtags: "dom",
      },
    }),
    video(2, "mia", "photo/7480226711882384743", "2025-03-10T17:00:00.000Z", {
      likes_count: "88",
      sources: { author: "link", likes_count: "dom", date_posted: "id" },
    }),
  ],
  skipped: { "no-link": 1 },
};

const profile2023: Fixture = {
  name: "profile of 2023: a link within a link in the caption, the unique id as the title, views, a pinned video",
  page: "profile",
  html: pageOf(`<h1 data-e2e="user-title">tiny.garden</h1><h2 data-e2e="user-subtitle">Tiny Garden</h2><strong data-e2e="followers-count">1.2M</strong><strong data-e2e="likes-count">9M</strong>
<div data-e2e="user-post-item-list"><div class="css-1-DivItemContainerV2"><div data-e2e="user-post-item"><div><a href="https://www.tiktok.com/@tiny.garden/video/7253416360928298343"><div data-e2e="video-card-badge">Pinned</div><img alt="Сад на балконе" src="https://p16.tiktokcdn.com/three.webp"><div class="css-2-DivCardFooter"><svg class="like-icon css-3-StyledPlay">${PLAY}</svg><strong data-e2e="video-views" class="css-4-StrongVideoCount">1,2 млн</strong></div></a></div></div>
<div data-e2e="user-post-item-desc"><a href="https://www.tiktok.com/@tiny.garden/video/7253416360928298343" title="x"><span>Сад на балконе </span><a href="/tag/%D1%81%D0%B0%D0%B4"><strong>#сад </strong></a><a href="/tag/CAД"><strong>#Сад</strong></a></a></div></div>
<div class="css-1-DivItemContainerV2"><div data-e2e="user-post-item"><a href="/@tiny.garden/video/7253802907984938343"><img alt="No caption below #late" src="//p16.tiktokcdn.com/four.webp"></a></div></div></div>`),
  videos: [
    video(1, "tiny.garden", "video/7253416360928298343", "2023-07-08T12:00:00.000Z", {
      title: "Сад на балконе #сад #Сад",
      thumbnail_url: "https://p16.tiktokcdn.com/three.webp",
      views_count: "1,2 млн",
      hashtags: ["сад"],
      sources: {
        title: "dom",
        author: "link",
        thumbnail_url: "dom",
        views_count: "dom",
        date_posted: "id",
        hashtags: "dom",
      },
    }),
    video(2, "tiny.garden", "video/7253802907984938343", "2023-07-09T13:00:00.000Z", {
      title: "No caption below #late",
      thumbnail_url: "https://p16.tiktokcdn.com/four.webp",
      hashtags: ["late"],
      sources: { title: "alt", author: "link", thumbnail_url: "dom", date_posted: "id", hashtags: "alt" },
    }),
  ],
};

const profile2026: Fixture = {
  name: "profile of 2026: nickname as the title, no caption but the alternative text, a second card of one video",
  page: "profile",
  html: pageOf(`<h1 data-e2e="user-title">Nina B.</h1><h2 data-e2e="user-subtitle">nina_b</h2><div data-e2e="user-post-item-list">
<div id="grid-item-container-0" class="css-7-8--DivItemContainerV2 q"><div data-e2e="user-post-item"><a href="https://www.tiktok.com/@nina_b/video/7638695543222519143"><picture><img alt="弁当の作り方 #弁当ライフ #お弁当 created by Nina B. with オリジナル楽曲" src="${PIXEL}"></picture><div><svg>${PLAY}</svg><strong data-e2e="video-views">3万</strong></div></a></div></div>
<div id="grid-item-container-1" class="css-7-8--DivItemContainerV2 q"><div data-e2e="user-post-item"><a href="https://www.tiktok.com/@nina_b/video/7639082090279159143"><img alt="a &lt;b&gt;bold&lt;/b&gt; move" src="https://p16.tiktokcdn.com/five.jpeg"></a></div></div>
<div id="grid-item-container-2"><div data-e2e="user-post-item"><a href="/@nina_b/video/7638695543222519143"><img alt="again" src="https://p16.tiktokcdn.com/six.jpeg"></a></div></div></div>`),
  videos: [
    video(1, "nina_b", "video/7638695543222519143", "2026-05-11T18:00:00.000Z", {
      title: "弁当の作り方 #弁当ライフ #お弁当",
      views_count: "3万",
      hashtags: ["弁当ライフ", "お弁当"],
      sources: { title: "alt", author: "link", views_count: "dom", date_posted: "id", hashtags: "alt" },
    }),
    video(2, "nina_b", "video/7639082090279159143", "2026-05-12T19:00:00.000Z", {
      title: "a <b>bold</b> move",
      thumbnail_url: "https://p16.tiktokcdn.com/five.jpeg",
      sources: { title: "alt", author: "link", thumbnail_url: "dom", date_posted: "id" },
    }),
  ],
  skipped: { duplicate: 1 },
};

export const LISTS = [search2021, search2025, profile2023, profile2026];
