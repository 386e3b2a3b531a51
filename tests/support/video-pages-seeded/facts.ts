import type { Random } from "../random.ts";
import { AGO, NICKNAMES, pick, SOUNDS, TAGS, WORDS } from "./words.ts";

/** The years whose markup the pages follow. */
export const PERIODS = [2021, 2022, 2023, 2024, 2025, 2026] as const;
export type Period = (typeof PERIODS)[number];

/** What is true of one video, whatever a page shows of it. */
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
  /** Whether the tile was scrolled into view: else the page has a placeholder of one pixel. */
  isSeen: boolean;
  uploadedAt: Date;
}

const SECONDS = 1_000;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_.";

const drawAuthor = (random: Random): string =>
  `${"abcdefghjkmnpqrstuvwxyz"[random.below(23)]}${Array.from({ length: 3 + random.below(16) }, () => LETTERS[random.below(LETTERS.length)]).join("")}x`;

const drawCount = (random: Random): number => random.below(10 ** (1 + random.below(9)));

const drawHex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join("");

/** An address as the picture servers sign it: long, with '&', worth nothing after a while. */
export const drawPicture = (random: Random, name: string): string =>
  `https://p16-sign.tiktokcdn-us.com/obj/tos-useast5-p-0068/${drawHex(random, 32)}~${name}.jpeg` +
  `?dr=14555&x-expires=${1_700_000_000 + random.below(90_000_000)}&x-signature=${drawHex(random, 27)}%3D&t=${drawHex(random, 8)}&ps=13740610`;

const drawCaption = (random: Random): string[] => {
  const words = Array.from({ length: 1 + random.below(14) }, () => pick(random, WORDS));
  const tags = Array.from({ length: random.below(9) }, () => `#${pick(random, TAGS)}`);
  // Most write their hashtags last, some in between.
  return random.below(3) === 0
    ? [words[0] ?? "", ...random.shuffled([...words.slice(1), ...tags])]
    : [...words, ...tags];
};

/** Draws one video of a year. The upload time stands in the upper half of the id. */
export function drawFacts(random: Random, period: Period): VideoFacts {
  const uploadedAt = new Date(Date.UTC(period, 0, 1) + random.below(364 * 24 * 3_600) * SECONDS);
  const low = BigInt(random.below(2 ** 31)) * 2n + 1n;
  return {
    id: String((BigInt(uploadedAt.getTime() / SECONDS) << 32n) | low),
    kind: period >= 2023 && random.below(12) === 0 ? "photo" : "video",
    author: drawAuthor(random),
    nickname: pick(random, NICKNAMES),
    sound: pick(random, SOUNDS),
    caption: drawCaption(random),
    views: drawCount(random),
    likes: drawCount(random),
    ago: pick(random, AGO),
    cover: drawPicture(random, "tplv-photomode-zoomcover"),
    isSeen: random.below(6) > 0,
    uploadedAt,
  };
}

/** The caption as one line. */
export const captionOf = ({ caption }: VideoFacts): string => caption.join(" ");

/** Hashtags without '#', the first way of writing kept. */
export function hashtagsOf({ caption }: VideoFacts): string[] {
  const known = new Map<string, string>();
  for (const word of caption) {
    if (word.startsWith("#") && !known.has(word.toLowerCase())) known.set(word.toLowerCase(), word.slice(1));
  }
  return [...known.values()];
}

/** A number as the pages write it: `9948`, `101.5K`, `1.2M`. */
export function shownCount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${(Math.floor(count / 100) / 10).toFixed(1)}K`;
  return count < 1_000_000_000
    ? `${(Math.floor(count / 100_000) / 10).toFixed(1)}M`
    : `${(Math.floor(count / 100_000_000) / 10).toFixed(1)}B`;
}
