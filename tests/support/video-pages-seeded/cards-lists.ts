import { avatar, type Card, type CardInput, captionMarkup, hrefOf, icon, image, likes, views } from "./card.ts";

/** Search: views beside the play icon from 2021 to 2023, later likes beside a heart. */
export function searchCard(input: CardInput): Card {
  const { disguise: d, facts, period } = input;
  const showsViews = period <= 2023;
  const time = d.element("div", { class: d.named("DivTimeTag") }, d.text(facts.ago));
  const link = d.element("a", { href: hrefOf(input), tabindex: "-1" }, image(input, period >= 2022) + time);
  const e2e: Record<string, string> =
    period >= 2022 ? { "data-e2e": period % 2 === 0 ? "search_top-item" : "search_video-item" } : {};
  const item = d.element("div", { class: d.named("DivItem"), ...e2e }, d.wrapped(link));
  const caption = d.element(
    "div",
    { "data-e2e": "search-card-video-caption", class: d.named("DivCaption") },
    captionMarkup(input, () => ({ class: d.named("SpanText") })),
  );
  const name = d.element("p", { "data-e2e": "search-card-user-unique-id", class: d.named("PUniqueId") }, facts.author);
  const user = d.element("a", { "data-e2e": "search-card-user-link", href: `/@${facts.author}` }, avatar(input) + name);
  const strong = d.element("strong", { class: d.named("StrongVideoCount") }, showsViews ? views(input) : likes(input));
  const count = d.element(
    "div",
    { "data-e2e": "search-card-like-container", class: d.named("DivPlayIcon") },
    icon(input, showsViews ? "play" : "heart") + strong,
  );
  const row = d.element("div", { class: d.named("DivPlayLine") }, user + count);
  const desc = d.element("div", { "data-e2e": "search-card-desc" }, d.wrapped(caption + row));
  const box = period >= 2023 ? "DivItemContainerV2" : "DivItemContainerForSearch";
  return {
    html: d.wrapped(d.element("div", { class: d.named(box) }, item + desc)),
    shown: {
      caption: true,
      thumbnail: facts.isSeen,
      date: facts.ago,
      ...(showsViews ? { views: views(input) } : { likes: likes(input) }),
    },
  };
}

const viewsStrong = (input: CardInput): string =>
  icon(input, "play") +
  input.disguise.element(
    "strong",
    { "data-e2e": "video-views", class: input.disguise.named("StrongVideoCount") },
    views(input),
  );

/** A hashtag page: the desktop version until 2025, then the mobile one, with only the link and alt text. */
export function hashtagCard(input: CardInput): Card {
  const { disguise: d, facts, period, hasViews } = input;
  if (period >= 2026) {
    const link = d.element("a", { href: hrefOf(input), class: d.named("ALink") }, image(input));
    const html = d.element("div", { "data-e2e": "video-item", class: d.named("DivVideoItem") }, d.wrapped(link));
    return { html, shown: { caption: true, thumbnail: facts.isSeen } };
  }
  const count = hasViews ? d.element("div", { class: d.named("DivCardFooter") }, viewsStrong(input)) : "";
  const link = d.element("a", { href: hrefOf(input) }, image(input, period >= 2023) + count);
  const item = d.element("div", { "data-e2e": "challenge-item", class: d.named("DivContainer") }, d.wrapped(link));
  const caption = captionMarkup(input, () => ({ class: d.named("SpanText") }));
  const desc = d.element("div", { "data-e2e": "challenge-item-desc" }, d.wrapped(caption));
  const name = d.element("h4", { "data-e2e": "challenge-item-username" }, facts.author);
  const user = d.element("a", { href: `/@${facts.author}` }, avatar(input) + (period <= 2024 ? name : ""));
  return {
    html: d.element("div", { class: d.named("DivItemContainerV2") }, item + desc + user),
    shown: { caption: true, thumbnail: facts.isSeen, ...(hasViews ? { views: views(input) } : {}) },
  };
}

/** A profile: captions in a sibling (with a link inside a link) until 2023, then only in the alt text. */
export function profileCard(input: CardInput): Card {
  const { disguise: d, facts, period, hasViews, index } = input;
  const badge = index === 0 ? d.element("div", { "data-e2e": "video-card-badge" }, "Pinned") : "";
  const count = hasViews ? d.element("div", { class: d.named("DivCardFooter") }, viewsStrong(input)) : "";
  const link = d.element("a", { href: hrefOf(input) }, d.wrapped(image(input, period >= 2023)) + badge + count);
  const item = d.element("div", { "data-e2e": "user-post-item", class: d.named("DivContainer") }, d.wrapped(link));
  const caption = captionMarkup(input, () => ({ class: d.named("SpanText") }));
  const outer = d.element("a", { href: hrefOf(input), class: d.named("AMetaCaptionLine") }, caption);
  const desc = period <= 2023 ? d.element("div", { "data-e2e": "user-post-item-desc" }, outer) : "";
  return {
    html: d.element("div", { class: d.named("DivItemContainerV2") }, item + desc),
    shown: { caption: true, thumbnail: facts.isSeen, ...(hasViews ? { views: views(input) } : {}) },
  };
}
