import type { Disguise } from "./disguise.ts";
import { captionOf, displayCount, type Period, type VideoFacts } from "./facts.ts";

/** The visible fields of a video; undefined ones are not on the page. */
export interface Shown {
  caption: boolean;
  thumbnail: boolean;
  views?: string;
  likes?: string;
  date?: string;
}

export interface Card {
  html: string;
  shown: Shown;
}

/** The input of a card's markup. */
export interface CardInput {
  facts: VideoFacts;
  period: Period;
  disguise: Disguise;
  index: number;
  /** Whether the page's tiles show view counts. */
  hasViews: boolean;
}

/** The first characters of the icon paths, which distinguish views from likes. */
const ICONS = {
  play: "M16 10.554V37.4459L38.1463 24L16 10.554ZM12 8.77702C12 6.43812 14.577 5.02084 16.5583 6.26",
  heart: "M40.96 24.15 24.97 39.6a1.4 1.4 0 0 1-1.94 0L7.04 24.15a10.6 10.6 0 0 1 0-15.1",
} as const;

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** An icon. The play icon also has the misleading class `like-icon`. */
export function icon({ disguise }: CardInput, name: keyof typeof ICONS): string {
  const style = disguise.named(name === "play" ? "StyledPlay" : "StyledHeart");
  const attributes = { class: `like-icon ${style}`, width: "18", height: "18", viewBox: "0 0 48 48", fill: "#fff" };
  const path = disguise.element("path", { "fill-rule": "evenodd", "clip-rule": "evenodd", d: ICONS[name] });
  return disguise.element("svg", attributes, path);
}

/** The video's URL in a link: absolute or relative, sometimes with a query. */
export function hrefOf({ facts, disguise }: CardInput): string {
  const path = `/@${facts.author}/${facts.kind}/${facts.id}`;
  const query = disguise.chance(4) ? "?is_from_webapp=1&sender_device=pc" : "";
  return `${disguise.chance(2) ? "https://www.tiktok.com" : ""}${path}${query}`;
}

const altOf = ({ facts, period }: CardInput): string =>
  period >= 2025 ? `${captionOf(facts)} created by ${facts.nickname} with ${facts.sound}` : captionOf(facts);

/** The image of a tile, with the caption as alt text if the layout has one. */
export function image(input: CardInput, withAlt = true): string {
  const { disguise, facts, period } = input;
  const alt = withAlt ? altOf(input) : "";
  if (!facts.isSeen) return disguise.element("img", { alt, src: PIXEL, class: disguise.named("ImgPoster") });
  const image = disguise.element("img", {
    alt,
    src: facts.cover,
    class: disguise.named("ImgPoster"),
    decoding: "async",
    style: "width: 100%; height: 100%; object-fit: cover;",
  });
  if (period < 2024) return disguise.element("span", { class: disguise.named("SpanImageWrapper") }, image);
  const source = disguise.element("source", { type: "image/avif", srcset: `${facts.cover}&format=avif` });
  return disguise.element("picture", {}, source + image);
}

/** An avatar, which is not a thumbnail. */
export const avatar = ({ disguise, facts }: CardInput): string =>
  disguise.element(
    "span",
    { class: disguise.named("SpanAvatarContainer"), style: "width: 24px; height: 24px;" },
    disguise.element("img", {
      alt: "",
      loading: "lazy",
      src: `https://p16-sign.tiktokcdn-us.com/tos-useast5-avt-0068-tx/${facts.id}~c5_100x100.jpeg?dr=1&x-expires=1`,
    }),
  );

/** Caption as spans and tag links. `nested`: the links are inside a link to the video, as on old profiles. */
export function captionMarkup(input: CardInput, attributesOf: (span: number) => Record<string, string>): string {
  const { disguise, facts, period } = input;
  return facts.caption
    .map((word, index) => {
      if (!word.startsWith("#")) return disguise.element("span", attributesOf(index), disguise.text(`${word} `));
      const inner = `${disguise.text(word)}${disguise.chance(3) ? "<!-- -->" : ""} `;
      const strong = disguise.element("strong", { class: disguise.named("StrongText") }, inner);
      const name = { class: disguise.named("StyledCommonLink"), href: `/tag/${encodeURIComponent(word.slice(1))}` };
      return disguise.element("a", period >= 2023 ? { ...name, "data-e2e": "search-common-link" } : name, strong);
    })
    .join("");
}

export const views = ({ facts }: CardInput): string => displayCount(facts.views);
export const likes = ({ facts }: CardInput): string => displayCount(facts.likes);
