import { readPhrase } from "./phrase.ts";

const LINE_CHARS = 17;
const HEADLINE_CHARS = 32;
const BREAK_BEFORE = /^(for|with|without|on|in|at|to|from|using|that|by|under|when|and|or)$/i;
const LEANS_ON_NEXT = /^(for|with|without|on|in|at|to|from|using|that|by|under|when|and|or|the|a|an|of|\d+)$/i;

/** Pairs that read as one word and should share a line. */
const TOGETHER = new Set([
  ...["living room", "dining room", "air fryer", "gluten free", "road trip", "mid century", "new york", "ice cream"],
  ...[
    "self care",
    "slow cooker",
    "raised bed",
    "baby shower",
    "new year",
    "front door",
    "gallery wall",
    "coffee table",
  ],
]);

const FALLBACK = ["A good idea,", "kept for later"];

/** Keeps what the poster fonts can draw: Latin letters with their accents, digits and common punctuation. */
export function drawableOf(text: string): string {
  return text
    .normalize("NFC")
    .replace(
      /[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F\u1E00-\u1EFF\u2013\u2014\u2018\u2019\u201C\u201D\u2026\u20AC]/gu,
      " ",
    )
    .replace(/\s+/gu, " ")
    .replace(/^[\s,;:.…–—-]+|[\s,;:.…–—-]+$/gu, "");
}

/** A keyword as a headline of one or two lines, short enough to be set large. */
export function headlineOf(keyword: string): string[] {
  const phrase = readPhrase(keyword);
  const text = drawableOf(phrase.title);
  if (!/[\p{L}\p{N}]/u.test(text)) return FALLBACK;
  const words = clip(text.split(" "));
  const isWholeQuestion = phrase.shape === "question" && words.join(" ") === text;
  return breakLines(isWholeQuestion ? `${text}?`.split(" ") : words);
}

/** Drops words from the end until the headline fits, and never ends on a small word. */
function clip(words: string[]): string[] {
  let kept = words.map((word) => (word.length > LINE_CHARS + 5 ? `${word.slice(0, LINE_CHARS + 4)}…` : word));
  while (kept.length > 1 && (kept.join(" ").length > HEADLINE_CHARS || isDangling(kept))) kept = kept.slice(0, -1);
  return kept;
}

function isDangling(words: string[]): boolean {
  const last = words[words.length - 1] ?? "";
  return BREAK_BEFORE.test(last) || /^(the|a|an|of|my|your|&|\+|-|–)$/i.test(last);
}

/** The break that keeps both lines near the same length, preferring one before a small word. */
function breakLines(words: string[]): string[] {
  const whole = words.join(" ");
  if (words.length === 1 || whole.length <= 9) return [whole];
  const scored = words.slice(1).map((word, index) => {
    const lines = [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")];
    const [upper = "", lower = ""] = lines;
    const before = words[index] ?? "";
    const bonus = BREAK_BEFORE.test(word) ? 1.5 : 0;
    const splits = TOGETHER.has(`${before} ${word}`.toLowerCase()) || LEANS_ON_NEXT.test(before);
    const uneven = Math.abs(upper.length - lower.length) * 0.3;
    return { lines, cost: Math.max(upper.length, lower.length) + uneven - bonus + (splits ? 5 : 0) };
  });
  const best = scored.reduce((one, other) => (other.cost < one.cost ? other : one));
  return best.lines;
}
