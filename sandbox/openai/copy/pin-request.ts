/** What a prompt asks a pin about: the keyword, the host of the page it leads to, and words that others are wanted for. */
export type PinRequest = { keyword: string; host?: string; insteadOf?: string };

const FALLBACK_KEYWORD = "good ideas";
const LONGEST_PROSE_CHARS = 160;

/**
 * Finds the keyword in a prompt: a JSON object with a `keyword`, alone or somewhere in the text, else a quoted
 * string after the word "keyword", else the text itself.
 */
export function readPinRequest(prompt: string): PinRequest {
  const data = findKeywordObject(prompt);
  if (data) {
    const insteadOf = typeof data.instead_of === "string" ? { insteadOf: data.instead_of } : {};
    return { keyword: tidy(data.keyword), ...hostOf(data.address ?? data.url ?? data.link), ...insteadOf };
  }
  const quoted = /keyword[^"“\n]{0,24}["“]([^"”\n]{1,300})["”]/i.exec(prompt);
  return { keyword: tidy(quoted?.[1] ?? firstSentence(prompt)) };
}

type KeywordData = { keyword: string; address?: unknown; url?: unknown; link?: unknown; instead_of?: unknown };

function isKeywordData(value: unknown): value is KeywordData {
  return typeof value === "object" && value !== null && "keyword" in value && typeof value.keyword === "string";
}

/** Tries the text as JSON, then every `{ … }` in it that ends at a later brace. */
function findKeywordObject(text: string): KeywordData | undefined {
  for (const start of [0, ...positionsOf(text, "{")].slice(0, 12)) {
    const ends = [text.length, ...positionsOf(text, "}").map((at) => at + 1)].filter((end) => end > start);
    for (const end of ends.slice(0, 24)) {
      const value = parseOrUndefined(text.slice(start, end));
      if (isKeywordData(value)) return value;
    }
  }
  return undefined;
}

function positionsOf(text: string, mark: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) found.push(at);
  return found;
}

/** Most slices of a prompt are no JSON, which is expected here and means "look on". */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function firstSentence(text: string): string {
  const [first = text] = text.trim().split(/(?<=[.!?])\s|\n/u);
  return first.slice(0, LONGEST_PROSE_CHARS);
}

function hostOf(address: unknown): { host?: string } {
  if (typeof address !== "string" || !URL.canParse(address)) return {};
  const host = new URL(address).hostname.replace(/^www\./, "");
  return host === "" ? {} : { host };
}

/** One line of plain words: no markup, emoji, control characters or closing punctuation. */
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
