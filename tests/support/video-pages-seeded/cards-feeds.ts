import { avatar, type Card, type CardInput, captionMarkup, hrefOf, icon, image, likes } from "./card.ts";
import { captionOf } from "./facts.ts";

/** Explore: likes but no views; the caption is only in the alt text. */
export function exploreCard(input: CardInput): Card {
  const { disguise: d, facts, period, index } = input;
  const count = d.element(
    "div",
    { "data-e2e": "explore-card-like-container", class: d.named("DivLikeInfo") },
    icon(input, "heart") + d.element("span", { class: d.named("SpanLikes") }, likes(input)),
  );
  const link = d.element("a", { href: hrefOf(input) }, image(input) + (period >= 2025 ? count : ""));
  const item = d.element("div", { "data-e2e": "explore-item", class: d.named("DivItem") }, d.wrapped(link));
  const name = d.element("span", { "data-e2e": "explore-card-user-unique-id" }, facts.author);
  const user = d.element(
    "a",
    { "data-e2e": "explore-card-user-link", href: `/@${facts.author}` },
    avatar(input) + name,
  );
  const desc = d.element("div", { "data-e2e": "explore-card-desc" }, user + (period >= 2025 ? "" : count));
  const id = period >= 2026 ? `grid-item-container-${index}` : `column-item-video-container-${index}`;
  return {
    html: d.element("div", { id, class: d.named("DivItemContainer") }, item + desc),
    shown: { caption: true, thumbnail: facts.isSeen, likes: likes(input) },
  };
}

/** Discover: the link's title is truncated, the alt text is complete; no counts. */
export function discoverCard(input: CardInput): Card {
  const { disguise: d, facts } = input;
  const title = `${captionOf(facts).slice(0, 18).trim()}… | TikTok`;
  const link = d.element("a", { href: hrefOf(input), title }, image(input));
  const video = d.element("div", { "data-e2e": "explore-feed-video" }, d.wrapped(link));
  return {
    html: d.element("div", { "data-e2e": "explore-feed-item", class: d.named("DivFeedItem") }, d.wrapped(video)),
    shown: { caption: true, thumbnail: facts.isSeen },
  };
}

/** A related video below the main one. */
export function relatedCard(input: CardInput): Card {
  const { disguise: d, facts } = input;
  const link = d.element("a", { href: hrefOf(input) }, image(input));
  return {
    html: d.element("div", { class: d.named("DivRelatedItem") }, d.wrapped(link)),
    shown: { caption: true, thumbnail: facts.isSeen },
  };
}

/** The main video of a video page. Its URL is in the head. */
export function watchedCard(input: CardInput): Card {
  const { disguise: d, facts, period } = input;
  const isOld = period <= 2023;
  const spans = (index: number): Record<string, string> => ({
    "data-e2e": isOld ? "new-desc-span" : `desc-span-0_${index}`,
  });
  const caption = captionMarkup({ ...input, period: 2026 }, spans);
  const desc = d.element("div", { "data-e2e": isOld ? "browse-video-desc" : "video-desc" }, d.wrapped(caption));
  const author = isOld ? "browse-username" : "video-author-uniqueid";
  const user = d.element("a", { href: `/@${facts.author}` }, d.element("span", { "data-e2e": author }, facts.author));
  const date = facts.ago;
  const line = ["span", "span", "span"].map((tag, n) =>
    d.element(tag, {}, d.text([facts.nickname, " · ", date][n] ?? "")),
  );
  const name = d.element("span", { "data-e2e": "browser-nickname" }, line.join(""));
  const counts = ["like-count", "comment-count", "share-count"].map((e2e) =>
    d.element("strong", { "data-e2e": e2e, class: d.named("StrongText") }, e2e === "like-count" ? likes(input) : "77"),
  );
  const body = avatar(input) + user + name + desc + counts.join("");
  return {
    html: d.element("div", { class: d.named("DivVideoContainer") }, d.wrapped(body)),
    shown: { caption: true, thumbnail: false, likes: likes(input), date },
  };
}
