import type { Random } from "../random.ts";
import { AGO, NICKNAMES, pick, SOUNDS, TAGS, WORDS } from "./words.ts";

/** The years whose markup the pages follow. */
export const PERIODS = [2021, 2022, 2023, 2024, 2025, 2026] as const;
export type Period = (typeof PERIODS)[number];

/** All data of one video, including what a page does not show. */
export interface VideoFacts {
  id: string;
  kind: "video" | "photo";
  author: string;
  nickname: string;
  sound: string;
  /** Words and hashtags in order; a hashtag begins with '#'. */
  caption: readonly string[];
  views: number;
  likes: number;
  ago: string;
  cover: string;
  /** Whether the tile was scrolled into view: otherwise the page has a one-pixel placeholder. */
  isSeen: boolean;
  uploadedAt: Date;
  /** 0 for a photo, as in the site's data. */
  durationSeconds: number;
}

const SECONDS = 1_000;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_.";

const randomAuthor = (random: Random): string =>
  `${"abcdefghjkmnpqrstuvwxyz"[random.below(23)]}${Array.from({ length: 3 + random.below(16) }, () => CHARACTERS[random.below(CHARACTERS.length)]).join("")}x`;

const randomCount = (random: Random): number => random.below(10 ** (1 + random.below(9)));

const randomHex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join("");

/** A signed image URL: long, with '&', valid for a limited time. */
export const requestImage = (random: Random, name: string): string =>
  `https://p16-sign.tiktokcdn-us.com/obj/tos-useast5-p-0068/${randomHex(random, 32)}~${name}.jpeg` +
  `?dr=14555&x-expires=${1_700_000_000 + random.below(90_000_000)}&x-signature=${randomHex(random, 27)}%3D&t=${randomHex(random, 8)}&ps=13740610`;

const randomCaption = (random: Random): string[] => {
  const words = Array.from({ length: 1 + random.below(14) }, () => pick(random, WORDS));
  const tags = Array.from({ length: random.below(9) }, () => `#${pick(random, TAGS)}`);
  // Most captions end with their hashtags; some have them in between.
  return random.below(3) === 0
    ? [words[0] ?? "", ...random.shuffled([...words.slice(1), ...tags])]
    : [...words, ...tags];
};

/** Generates a random video of a year. The upload time is the upper half of the id. */
export function randomFacts(random: Random, period: Period): VideoFacts {
  const uploadedAt = new Date(Date.UTC(period, 0, 1) + random.below(364 * 24 * 3_600) * SECONDS);
  const low = BigInt(random.below(2 ** 31)) * 2n + 1n;
  const kind = period >= 2023 && random.below(12) === 0 ? "photo" : "video";
  return {
    id: String((BigInt(uploadedAt.getTime() / SECONDS) << 32n) | low),
    kind,
    author: randomAuthor(random),
    nickname: pick(random, NICKNAMES),
    sound: pick(random, SOUNDS),
    caption: randomCaption(random),
    views: randomCount(random),
    likes: randomCount(random),
    ago: pick(random, AGO),
    cover: requestImage(random, "tplv-photomode-zoomcover"),
    isSeen: random.below(6) > 0,
    uploadedAt,
    durationSeconds: kind === "photo" ? 0 : 5 + random.below(90),
  };
}

/** The caption as one line. */
export const captionOf = ({ caption }: VideoFacts): string => caption.join(" ");

/** Unique hashtags without '#', in their first spelling. */
export function hashtagsOf({ caption }: VideoFacts): string[] {
  const known = new Map<string, string>();
  for (const word of caption) {
    if (word.startsWith("#") && !known.has(word.toLowerCase())) known.set(word.toLowerCase(), word.slice(1));
  }
  return [...known.values()];
}

/** A number as the pages write it: `9948`, `101.5K`, `1.2M`. */
export function displayCount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${(Math.floor(count / 100) / 10).toFixed(1)}K`;
  return count < 1_000_000_000
    ? `${(Math.floor(count / 100_000) / 10).toFixed(1)}M`
    : `${(Math.floor(count / 100_000_000) / 10).toFixed(1)}B`;
}
