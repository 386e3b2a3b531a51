import { readFileSync } from "node:fs";
import { detectTopic, type PageFacts, type PinRequest } from "./keyword.ts";
import { createRandom, hashText, pick } from "./seed.ts";

/** The text of a pin, within Pinterest's limits: title 100 characters, description 800, alt text 500. */
export type PinCopy = { title: string; description: string; altText: string };

const TITLE_CHARS = 100;
const DESCRIPTION_CHARS = 800;
const KEYWORD_CHARS = 72;

const TITLES = [
  "{Kw}: where to start",
  "{Kw}, made simple",
  "{Kw} you will come back to",
  "{Kw}: a short guide",
  "{Kw} for a free weekend",
  "{Kw}, step by step",
  "{Kw}: small changes that help",
  "{Kw} worth saving",
  "{Kw}: what works and why",
  "{Kw}, without the fuss",
];

const OPENINGS = [
  "Looking for {kw}? These are the ideas people keep coming back to.",
  "Save these ideas about {kw} for a quiet afternoon.",
  "Here is a simple way to begin with {kw}, even if you have little time.",
  "Everything you need to plan {kw}, in one place.",
  "Thinking about {kw}? Start with the easiest part and build from there.",
  "A fresh look at {kw}, with steps you can follow at your own pace.",
];

const ADVICE = [
  "Choose one idea, gather what you have at home, and give yourself an hour.",
  "Keep the colors calm and let one detail stand out.",
  "Write down what worked, so that next time takes half as long.",
  "Good results come from small steps repeated, not from one perfect try.",
  "Start small: you can always add more once the first part feels easy.",
  "Most of it costs little, and the rest can wait until you are sure.",
  "Involve a friend or the family; it is more fun and quicker together.",
  "Set everything out before you begin and the rest follows.",
  "Take a photo before and after, because progress is easy to forget.",
  "Leave room for changes: your own taste is the best guide.",
];

const CLOSINGS = [
  "Save it for later and make it your own.",
  "Pin it now and try one part of it this week.",
  "Keep it on your board for the day you need it.",
  "Share it with someone who would enjoy it too.",
];

function mentionOf({ name, price, ingredients }: PageFacts): string {
  const made = ingredients.length > 0 ? ` with ${ingredients.join(", ")}` : "";
  return `${name}${made}${price ? `, for ${price}` : ""}.`;
}

type Texts = { titles: readonly string[]; description: string; altText: string };

/** Texts in the languages that a prompt can ask for, by their English names. `{Kw}` is the keyword. */
const LANGUAGES: Readonly<Record<string, Texts>> = JSON.parse(
  readFileSync(new URL("languages.json", import.meta.url), "utf8"),
);

/** In another language, the texts are short and always the same, apart from the keyword. */
function translated(keyword: string, { titles, description, altText }: Texts, taken: string[]) {
  const fill = (pattern: string) => pattern.replaceAll("{Kw}", capitalized(shorten(keyword, KEYWORD_CHARS)));
  const title = titles.map(fill).find((text) => !taken.includes(text)) ?? fill(titles[0] ?? "{Kw}");
  return { title, description: fill(description), altText: fill(altText) };
}

/** Writes the text of a pin about a keyword and its page. The same request always gets the same text. */
export function writePinCopy({
  keyword,
  host,
  page,
  insteadOf,
  otherTitles = [],
  language,
  take = 1,
}: PinRequest): PinCopy {
  const words = language === undefined ? undefined : LANGUAGES[language];
  if (words) return translated(keyword, words, otherTitles);
  const random = createRandom(hashText(`copy ${keyword} ${host ?? ""}${insteadOf ?? ""}`));
  const kw = shorten(keyword, KEYWORD_CHARS);
  const fill = (pattern: string) => pattern.replace("{Kw}", capitalized(kw)).replace("{kw}", inSentence(kw));
  const advice = [...ADVICE].sort(() => random() - 0.5).slice((take - 1) % 4, ((take - 1) % 4) + 4);
  const closing = host ? "Read the whole guide on the site." : pick(random, CLOSINGS);
  const headline = headlineOf(keyword).join(" ");
  const titles = [...TITLES].sort(() => random() - 0.5).map((pattern) => shorten(fill(pattern), TITLE_CHARS));
  const free = titles.filter((title) => !otherTitles.includes(title));
  return {
    title: free[(take - 1) % free.length] ?? titles[0] ?? "",
    description: shorten(
      [fill(pick(random, OPENINGS)), ...(page ? [mentionOf(page)] : []), ...advice, closing].join(" "),
      DESCRIPTION_CHARS,
    ),
    altText: `Illustrated poster in a few flat colors. The headline reads “${headline}” in large serif letters, with the line “${captionOf(keyword)}” in small capitals.`,
  };
}

export function captionOf(keyword: string): string {
  return pick(createRandom(hashText(`caption ${keyword}`)), detectTopic(keyword).captions);
}

const LINE_CHARS = 17;
const HEADLINE_CHARS = 32;
const NO_LINE_END = /^(for|with|without|on|in|at|to|from|using|that|by|under|when|and|or|the|a|an|of|my|your|\d+|&)$/i;
const BREAK_BEFORE = /^(for|with|without|on|in|at|to|from|using|that|by|under|when|and|or)$/i;
const FALLBACK = ["A good idea,", "saved for later"];

/** Keeps what the poster fonts contain: Latin letters with accents, digits and common punctuation. */
export function toDrawable(text: string): string {
  const drawable =
    /[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F\u1E00-\u1EFF\u2013\u2014\u2018\u2019\u201C\u201D\u2026\u20AC]/gu;
  return text
    .normalize("NFC")
    .replace(drawable, " ")
    .replace(/\s+/gu, " ")
    .replace(/^[\s,;:.…–—-]+|[\s,;:.…–—-]+$/gu, "");
}

/** A keyword as a headline of one or two short lines. */
export function headlineOf(keyword: string): string[] {
  const text = capitalized(toDrawable(keyword));
  if (!/[\p{L}\p{N}]/u.test(text)) return FALLBACK;
  let words = text
    .split(" ")
    .map((word) => (word.length > LINE_CHARS + 5 ? `${word.slice(0, LINE_CHARS + 4)}…` : word));
  // Drops last words while the headline is too long or ends in a small word.
  while (words.length > 1 && (words.join(" ").length > HEADLINE_CHARS || NO_LINE_END.test(words.at(-1) ?? ""))) {
    words = words.slice(0, -1);
  }
  return breakLines(words);
}

/** Breaks where both lines have about the same length, preferably before a small word. */
function breakLines(words: string[]): string[] {
  if (words.length === 1 || words.join(" ").length <= 9) return [words.join(" ")];
  const costOf = (at: number) => {
    const [upper, lower] = [words.slice(0, at).join(" ").length, words.slice(at).join(" ").length];
    const bonus = BREAK_BEFORE.test(words[at] ?? "") ? 1.5 : 0;
    const dangles = NO_LINE_END.test(words[at - 1] ?? "") ? 5 : 0;
    return Math.max(upper, lower) + Math.abs(upper - lower) * 0.3 - bonus + dangles;
  };
  const breaks = words.slice(1).map((_, index) => index + 1);
  const best = breaks.reduce((item, other) => (costOf(other) < costOf(item) ? other : item));
  return [words.slice(0, best).join(" "), words.slice(best).join(" ")];
}

function capitalized(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]*\p{L}/u, (letter) => letter.toUpperCase());
}

/** A keyword inside a sentence: "Small balcony garden" starts in lower case, "IKEA hacks" does not. */
function inSentence(keyword: string): string {
  const [first = ""] = keyword.split(" ");
  return first === first.toUpperCase() && first.length > 1 ? keyword : keyword.replace(first, first.toLowerCase());
}

function shorten(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const atWord = text.slice(0, chars + 1).replace(/\s+\S*$/u, "");
  const cut = atWord.length > chars ? text.slice(0, chars) : atWord;
  return cut.replace(/[\s,;:–-]+$/u, "").replace(/[\uD800-\uDBFF]$/, "");
}
