import type { Random } from "../random.ts";
import { captionOf, hashtagsOf, type Period, requestImage, type VideoFacts } from "./facts.ts";
import { pick, WORDS } from "./words.ts";

type Json = Record<string, unknown>;

/** JSON as the pages embed it: '<' and '/' are escaped, so that nothing in it can end the script. */
const embedded = (id: string, value: unknown): string =>
  `<script id="${id}" type="application/json">${JSON.stringify(value).replaceAll("<", "\\u003C").replaceAll("/", "\\u002F")}</script>`;

/** An item of the site's API. From 2021 to 2023 the author is a string. */
export function itemOf(random: Random, facts: VideoFacts, period: Period): Json {
  const { id, author, nickname, cover, likes, views } = facts;
  const stats = { diggCount: likes, playCount: views, shareCount: 3, commentCount: 9 };
  const isOld = period <= 2023;
  const tags = hashtagsOf(facts);
  return {
    id,
    desc: captionOf(facts),
    createTime: String(facts.uploadedAt.getTime() / 1_000),
    video: {
      id,
      duration: facts.durationSeconds,
      ratio: "720p",
      cover,
      originCover: requestImage(random, "origin"),
      dynamicCover: requestImage(random, "dynamic"),
      bitrateInfo: [{ QualityType: 20, PlayAddr: { UrlList: [requestImage(random, "play")] } }],
    },
    ...(isOld ? { author, nickname } : { author: { id: "6", uniqueId: author, nickname, verified: false } }),
    music: { id: "7", title: facts.sound, authorName: nickname },
    stats,
    ...(period >= 2025
      ? { statsV2: { diggCount: String(likes), playCount: String(views), shareCount: "3", commentCount: "9" } }
      : {}),
    challenges: tags.map((title, index) => ({ id: String(index), title, desc: "" })),
    textExtra: tags.map((hashtagName) => ({ hashtagName, type: 1, awemeId: "" })),
    ...(facts.kind === "photo" ? { imagePost: { images: [], title: "" } } : {}),
  };
}

const filler = (random: Random, bytes: number): Json => {
  const all: Json = {};
  for (let written = 0, n = 0; written < bytes; n += 1) {
    const text = Array.from({ length: 12 }, () => pick(random, WORDS)).join(" ");
    // Markup in a script's string is not part of the page.
    const value = n % 9 === 0 ? `<div data-e2e="search_top-item"><a href="/@no/video/70${n}">${text}</a></div>` : text;
    all[`key_${n}_${random.below(9_999)}`] = value;
    written += value.length + 24;
  }
  return all;
};

interface ScriptsInput {
  period: Period;
  /** Videos in the embedded data. */
  items: readonly VideoFacts[];
  /** Whether it is the video page of the first item. */
  isVideoPage: boolean;
  /** Number of characters of unrelated data. */
  fillerLength: number;
}

/** The embedded data of a page: `SIGI_STATE` until 2023, then `__UNIVERSAL_DATA_FOR_REHYDRATION__`. */
export function embeddedData(random: Random, { period, items, isVideoPage, fillerLength }: ScriptsInput): string {
  const other = filler(random, fillerLength);
  if (period <= 2023) {
    const ItemModule = Object.fromEntries(items.map((facts) => [facts.id, itemOf(random, facts, period)]));
    const list = { "user-post": { list: items.map(({ id }) => id) } };
    return embedded("SIGI_STATE", { AppContext: other, ItemList: list, ItemModule, UserModule: { users: {} } });
  }
  const first = items[0];
  const detail =
    isVideoPage && first ? { itemInfo: { itemStruct: itemOf(random, first, period) }, statusCode: 0 } : null;
  const scope = { "webapp.app-context": { language: "en" }, "webapp.i18n-translation": other };
  return embedded("__UNIVERSAL_DATA_FOR_REHYDRATION__", {
    __DEFAULT_SCOPE__: detail ? { ...scope, "webapp.video-detail": detail } : scope,
  });
}

/** An API response of the site, as copied from a browser's developer tools. */
export function answerOf(random: Random, items: readonly VideoFacts[], period: Period): string {
  const list = items.map((facts) => itemOf(random, facts, period));
  if (period <= 2022) return JSON.stringify({ statusCode: 0, itemList: list, hasMore: true });
  if (period <= 2024) return JSON.stringify({ status_code: 0, item_list: list, has_more: 1 });
  return JSON.stringify({ status_code: 0, data: list.map((item) => ({ type: 1, item })) }, null, 1);
}
