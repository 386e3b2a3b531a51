import { KEYWORD_LENGTH_MAX, KEYWORDS_PER_VIDEO } from "./limits.ts";
import type { ExtractedVideo } from "./types.ts";

const NOT_WORDS = /(?:https?:\/\/|www\.)\S+|@[\w.]+|[#＃][\p{L}\p{N}\p{M}_]+/giu;
const LETTER = /[\p{L}\p{N}]/u;

/** "SmallGardenIdeas2024" → "small garden ideas 2024"; a tag in one case stays one word. */
const wordsOfTag = (tag: string): string =>
  tag
    .replace(/_+/g, " ")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L})(\p{N})/gu, "$1 $2")
    .toLowerCase()
    .trim();

/** At most so long, ended between two words where there are any. */
const cut = (text: string): string => {
  if (text.length <= KEYWORD_LENGTH_MAX) return text;
  const part = text.slice(0, KEYWORD_LENGTH_MAX);
  const space = part.lastIndexOf(" ");
  return (space > KEYWORD_LENGTH_MAX / 2 ? part.slice(0, space) : part).toWellFormed().trimEnd();
};

/**
 * Keywords for pins from a video's idea: its caption without hashtags, mentions and addresses, then its hashtags, those
 * in camel case split into words. At most ten, each once whatever the case, none without a letter or digit.
 */
export const keywordsFrom = (video: Pick<ExtractedVideo, "title" | "hashtags">): string[] => {
  const caption = (video.title ?? "").replace(NOT_WORDS, " ").replace(/\s+/g, " ").trim();
  const keywords = new Map<string, string>();
  for (const text of [caption, ...video.hashtags.map(wordsOfTag)]) {
    const keyword = cut(text);
    if (LETTER.test(keyword) && !keywords.has(keyword.toLowerCase())) keywords.set(keyword.toLowerCase(), keyword);
  }
  return [...keywords.values()].slice(0, KEYWORDS_PER_VIDEO);
};
