import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "#sandbox/kit/values.ts";

/** What a prompt asks for. `insteadOf` is a text to replace, `take` which of several texts is wanted. */
export type PinRequest = {
  keyword: string;
  host?: string | undefined;
  page?: PageFacts | undefined;
  insteadOf?: string | undefined;
  otherTitles?: string[] | undefined;
  language?: string | undefined;
  take?: number | undefined;
};

export type PageFacts = { name: string; price: string | undefined; ingredients: string[] };

const FALLBACK_KEYWORD = "good ideas";
const MAX_SENTENCE_CHARS = 160;
const MAX_INGREDIENTS = 3;

const text = z.string().optional().catch(undefined);
const ingredients = z.array(z.unknown()).catch([]);
/** The data of a prompt. Fields of another type are ignored. */
const promptData = z.object({
  keyword: z.string(),
  address: text,
  page: z
    .object({
      title: text,
      product: z.object({ name: text, price: text }).optional().catch(undefined),
      recipe: z.object({ name: text, ingredients }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  voice: z.object({ language: text }).optional().catch(undefined),
  instead_of: text,
  other_titles: z.array(z.coerce.string()).optional().catch(undefined),
  take: z.number().optional().catch(undefined),
});
type PromptData = z.output<typeof promptData>;

/** Finds the keyword in a prompt: a JSON object with a `keyword`, alone or on a line, or else the first sentence. */
export function readPinRequest(prompt: string): PinRequest {
  // Prompts carry their data on a separate line.
  const parts = [prompt, ...prompt.split("\n").filter((line) => line.trim().startsWith("{"))];
  const data = parts.map((part) => promptData.safeParse(parseJson(part)).data).find((found) => found !== undefined);
  if (data === undefined) return { keyword: tidy(firstSentence(prompt)) };
  return {
    keyword: tidy(data.keyword),
    host: URL.parse(data.address ?? "")?.hostname.replace(/^www\./, "") || undefined,
    page: pageOf(data),
    insteadOf: data.instead_of,
    otherTitles: data.other_titles,
    language: data.voice?.language,
    take: data.take,
  };
}

function pageOf({ page }: PromptData): PageFacts | undefined {
  const name = page?.product?.name ?? page?.recipe?.name ?? page?.title;
  if (name === undefined) return undefined;
  const listed = (page?.recipe?.ingredients ?? []).filter((one) => typeof one === "string");
  return { name, price: page?.product?.price, ingredients: listed.slice(0, MAX_INGREDIENTS) };
}

function firstSentence(prompt: string): string {
  const [first = prompt] = prompt.trim().split(/(?<=[.!?])\s|\n/u);
  return first.slice(0, MAX_SENTENCE_CHARS);
}

/** Plain text on one line: no markup, emoji, control characters or trailing punctuation. */
function tidy(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/<[^>]*>/gu, " ")
    .replace(/\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\uFE0F|\u200D|\u20E3/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}<>{}[\]|\\^~`"“”#*_=]/gu, " ")
    .replace(/!+/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[\s.,;:…–-]+$/u, "")
    .replace(/^[\s.,;:…–-]+/u, "");
  return plain === "" ? FALLBACK_KEYWORD : plain;
}

/** A topic: the words that indicate it, the backgrounds that fit, and its captions. */
export type Topic = { words: string; motifs: readonly string[]; captions: readonly string[] };

const GENERAL: Topic = {
  words: "",
  motifs: [],
  captions: ["Worth a try", "Saved for later", "A good start", "One small step"],
};

/** Specific topics come first: in a tie, the earlier one wins. */
const TOPICS: readonly Topic[] = JSON.parse(readFileSync(new URL("topics.json", import.meta.url), "utf8"));

const wordsOf = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}']+/u);
const vocabulary = TOPICS.map((topic) => ({ topic, words: new Set(wordsOf(topic.words)) }));

/** The topic that most words of a keyword indicate. */
export function detectTopic(keyword: string): Topic {
  const forms = wordsOf(keyword).map((word) => [word, word.replace(/e?s$/, ""), word.replace(/s$/, "")]);
  const scored = vocabulary.map(({ topic, words }) => ({
    topic,
    score: forms.filter((all) => all.some((form) => words.has(form))).length,
  }));
  const best = scored.reduce((item, other) => (other.score > item.score ? other : item));
  return best.score > 0 ? best.topic : GENERAL;
}
