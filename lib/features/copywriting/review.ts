import "server-only";
import { VOICE_LANGUAGES, type VoiceLanguage } from "#lib/features/branding/constants.ts";
import type { PinCopy } from "#lib/integrations/ai/port.ts";
import { CLAIMS } from "./banned-claims.ts";
import type { CopyFault } from "./constants.ts";

/** Numbers and words to avoid are checked where the page and the voice are known. */
type ReviewFault = Exclude<CopyFault, "invented_number" | "avoided_word">;

interface ReviewContext {
  keyword: string;
  /** What the text is written from besides the keyword: its page, and words of the user. */
  sources?: readonly string[];
  /** May have a claim that the text repeats: the user's own words, and the names of what a page is about. */
  trusted?: readonly string[];
  /** Whether `sources` have what a page says. */
  hasPage?: boolean;
  /** Null: the keyword's own. */
  language?: VoiceLanguage | null;
  /** Titles of the account's other recent pins. */
  otherTitles: readonly string[];
}

/** Lower case, without accents: "Crème Brûlée" is "creme brulee". */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    // In other scripts, marks are vowels and consonants.
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, "$1")
    .normalize("NFC")
    .toLowerCase();

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

const wordsOf = (text: string): string[] =>
  [...segmenter.segment(folded(text))].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));

const ALPHABET = /\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}/u;
/** Shorter words are mostly articles and prepositions. Other scripts say as much in one or two characters. */
const CONTENT_WORD_MIN = 4;

const isContentWord = (word: string): boolean =>
  word.length >= (ALPHABET.test(word) ? CONTENT_WORD_MIN : 1) && !/^\d+$/.test(word);

const contentWordsOf = (text: string): string[] => {
  const words = wordsOf(text);
  const content = words.filter(isContentWord);
  return content.length > 0 ? content : words;
};

const pairsOf = (word: string): Set<string> =>
  new Set(Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)));

/** Dice coefficient, 0 to 1. */
const overlapOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size + b.size === 0 ? 0 : (2 * [...a].filter((item) => b.has(item)).length) / (a.size + b.size);

const ROOT_SHARE = 0.7;
const ROOT_MIN = 4;
const SIMILAR_MIN = 0.6;

/** Inflected, as part of a compound, or with a typo. */
const isMentioned = (word: string, text: string, words: readonly string[]): boolean => {
  if (word.length < ROOT_MIN) return text.includes(word);
  if (text.includes(word.slice(0, Math.max(ROOT_MIN, Math.floor(word.length * ROOT_SHARE))))) return true;
  const pairs = pairsOf(word);
  return words.some((other) => overlapOf(pairs, pairsOf(other)) >= SIMILAR_MIN);
};

/** How much of the keyword a text mentions, 0 to 1. */
const shareMentioned = ({ title, description }: PinCopy, keyword: string): number => {
  // A text should not repeat the markup of a keyword.
  const wanted = [...new Set(contentWordsOf(keyword.replace(/<[^>]*>/g, " ")))];
  if (wanted.length === 0) return 1;
  const text = folded(`${title} ${description}`);
  const words = wordsOf(text);
  return wanted.filter((word) => isMentioned(word, text, words)).length / wanted.length;
};

const OFF_KEYWORD_MAX = 0.3;
/** A third of its words. What a page is about has words of its own. */
const OFF_KEYWORD_WITHOUT_PAGE_MAX = 0.34;

/** Patterns whose match isn't already in what the text was written from, such as "SEO" in a keyword about it. */
const isAdded = (pattern: RegExp, text: string, given: string): boolean =>
  [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].some(([match]) => !given.includes(folded(match).trim()));

/** Only the keyword excuses an address: a page has some of its own. */
const ADDRESS = /(?:https?:\/\/|\bwww\.)\S+|\b[a-z0-9-]+\.(com|net|org|de|fr|es|it)\b/i;
const MARKUP = [/<\/?[a-z][^>]*>|[{}]|\*\*|__|```|&[a-z]+;|^\s*#+\s/i, /\[[^\]]*\]|\bX{3,}\b|\blorem ipsum\b/];
const LABEL =
  /^\s*["'“]?((alternative|suggested|short) )?(title|description|alt[ _-]?text|caption|titel|beschreibung|titre|légende|título|descripción|titolo|descrizione|pin)( (alternati\w+|suggéré\w*|sugerid\w+|suggerit\w+|court\w?|cort[oa]))?\s*:/i;
/** Lines of a brief, anywhere in a text; those of words that titles are about, where a sentence starts. */
const BRIEF =
  /\b(target audience|zielgruppe|doelgroep|público[- ]objetivo|público[- ]alvo|public cible|grupa docelowa|call[- ]to[- ]action)\s*:|(?:^|[.!?…(–|]\s*|#\S+\s+|\n\s*)(keywords?|mots[- ]clés|palabras clave|hashtags?)\s*:/i;
const REMARK =
  /^((sure|certainly|of course|absolutely|okay|gerne|natürlich|bien sûr|claro|por supuesto|zeker)[,!.:]|(here (is|are)|here['’]s|hier ist|voici|aquí tienes|ecco)( \S+){1,3} ((title|description|titel|beschreibung|titre|título|titolo)\b(?=[^.!?:]{0,60}:)|(title|description|text|copy|titel|beschreibung|titre|texte|título|texto|titolo|testo)\b(?=\s*[:.!,]|\s+(for (your|the)|you|i|für|pour|para|per)\b)))/i;
const MODEL =
  /\b(adjust the (tone|wording|hashtags|keywords|length|text)|replace the (hashtags|words|brackets)|your target audience|(strong|clear) call[- ]to[- ]action|deine zielgruppe|tu público objetivo|word count|character (limit|count)|seo[- ]friendly|oto (opis|tytuł)|proszę bardzo|als sprachmodell|como modelo de (lenguaje|linguagem)|en tant que modèle de langage|as an ai|language model|as a large|als ki\b|en tant qu['’]ia|como (una )?ia\b|the (given|provided) keyword|das keyword|le mot[- ]clé|la palabra clave|(based on|as in) (the|your) prompt|json)\b/i;
const QUOTED = /^\s*(["“„«'‘].*["”“»'’]|「[^「」]*」|『[^『』]*』)\s*$/u;
const DECORATED = /\p{RGI_Emoji}|#\p{L}/v;

const isNotPlain = ({ title, description, altText }: PinCopy, given: string, keyword: string): boolean =>
  [title, description, altText].some(
    (text) =>
      isAdded(ADDRESS, text, folded(keyword)) ||
      [...MARKUP, MODEL, LABEL, BRIEF, REMARK].some((pattern) => isAdded(pattern, text, given)),
  ) ||
  (QUOTED.test(title) && isAdded(QUOTED, title, given)) ||
  isAdded(DECORATED, title, given);

const HASHTAG = /#[\p{L}\p{N}_]+/gu;
const HASHTAGS_MAX = 3;
const PHRASE_MAX = 2;
const LIST_PARTS_MIN = 6;
const WORD_SHARE_MAX = 0.12;
const WORD_COUNT_MAX = 5;

const isWordList = (text: string): boolean => {
  const parts = text.split(/[,;|、・]/).map((part) => wordsOf(part).length);
  return parts.length > LIST_PARTS_MIN && parts.filter((count) => count <= 3).length / parts.length > 0.8;
};

const isStuffed = ({ title, description, altText }: PinCopy, keyword: string): boolean => {
  const hashtags = `${title} ${description} ${altText}`.match(HASHTAG) ?? [];
  const text = description.replaceAll(HASHTAG, "");
  if (hashtags.length > HASHTAGS_MAX || isWordList(text)) return true;
  const words = wordsOf(text);
  const phrase = wordsOf(keyword).join(" ");
  if (phrase.includes(" ") && ` ${words.join(" ")} `.split(` ${phrase} `).length - 1 > PHRASE_MAX) return true;
  const counts = new Map<string, number>();
  for (const word of words.filter((one) => ALPHABET.test(one) && isContentWord(one)))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return most >= WORD_COUNT_MAX && most / words.length > WORD_SHARE_MAX;
};

/** A word can be harmless in one language and a promise in another, so only the text's own patterns count. */
const isBannedClaim = async (
  { title, description, altText }: PinCopy,
  { keyword, trusted = [] }: ReviewContext,
): Promise<boolean> => {
  const given = folded([keyword, ...trusted].join("\n"));
  const language = guessLanguage(await loadDetector(), description)?.best ?? "en";
  const claims = CLAIMS[language] ?? [];
  return claims.some((claim) => isAdded(claim, `${title}\n${description}\n${altText}`, given));
};

const SAME_TITLE_MIN = 0.75;
const OTHER_REST_MAX = 0.34;

const titleWords = (title: string): Set<string> =>
  new Set(contentWordsOf(title).map((word) => word.replace(/(es|s|en|n|e)$/, "")));

const without = (all: Set<string>, some: Set<string>): Set<string> =>
  new Set([...all].filter((word) => !some.has(word)));

/** Letters by which the spellings of a word differ; most others make another word. */
const SPELLINGS = ["sz", "zs", "cs", "sc", "ck", "kc"];

/** Spelled in two ways, such as "cosy" and "cozy". */
const areSpellings = (one: string, other: string): boolean => {
  if (one.length !== other.length) return false;
  const pairs = [...one].flatMap((letter, at) => (letter === other[at] ? [] : [`${letter}${other[at]}`]));
  return pairs.length === 1 && pairs.every((pair) => SPELLINGS.includes(pair));
};

/** The same words in the same order, apart from the spelling of one word. */
const isSameText = (one: readonly string[], other: readonly string[]): boolean => {
  const different = one.flatMap((word, at) => (word === other[at] ? [] : [[word, other[at] ?? ""] as const]));
  return (
    one.length === other.length &&
    one.length > 2 &&
    different.length === 1 &&
    different.every(([a, b]) => areSpellings(a, b))
  );
};

/** The titles that this one repeats, apart from small words and word endings. */
export const sameTitles = (title: string, { keyword, otherTitles }: ReviewContext): string[] => {
  const own = titleWords(title);
  const plain = wordsOf(title);
  const keywordWords = titleWords(keyword);
  const subject = wordsOf(keyword).filter((word) => plain.includes(word));
  return otherTitles.filter((other) => {
    const otherPlain = wordsOf(other);
    if (otherPlain.join("") === plain.join("")) return true;
    // Titles of one pattern about different subjects are fine, such as "Week 1: …" and "Week 2: …".
    if (subject.some((word) => !otherPlain.includes(word) && !titleWords(other).has(word))) return false;
    if (isSameText(plain, otherPlain)) return true;
    const words = titleWords(other);
    // Titles with the same long keyword share most words, so the rest decides.
    const [rest, otherRest] = [without(own, keywordWords), without(words, keywordWords)];
    if (Math.min(rest.size, otherRest.size) > 0 && overlapOf(rest, otherRest) <= OTHER_REST_MAX) return false;
    return Math.min(own.size, words.size) > 1 && overlapOf(own, words) >= SAME_TITLE_MIN;
  });
};

/** Shorter texts are not told apart reliably. */
const LANGUAGE_CHARS_MIN = 12;
const KEYWORD_SHARE_MAX = 0.88;
const PART_SHARE_MAX = 0.8;

const SCRIPTS = "Latin Cyrillic Greek Han Hiragana Katakana Hangul Arabic Hebrew Thai Devanagari"
  .split(" ")
  .map((name) => new RegExp(`\\p{Script=${name}}`, "u"));

const sharesScript = (one: string, other: string): boolean => {
  const scripts = SCRIPTS.filter((script) => script.test(one));
  return scripts.length === 0 || scripts.some((script) => script.test(other));
};

interface Guess {
  best: string;
  /** Relative to the best, 0 to 1. */
  shareOf: (language: string) => number;
}

/** Loaded at first use: it takes 90 MB, which processes that write no texts don't need. */
const loadDetector = async () => (await import("eld/extrasmall")).eld;
type Detector = Awaited<ReturnType<typeof loadDetector>>;

const guessLanguage = (eld: Detector, text: string, charsMin = LANGUAGE_CHARS_MIN): Guess | null => {
  const found = eld.detect(text.replaceAll(HASHTAG, ""));
  const scores = found.getScores();
  const highest = scores[found.language] ?? 0;
  if (text.length < charsMin || !found.isReliable() || highest === 0) return null;
  return { best: found.language, shareOf: (language) => (scores[language] ?? 0) / highest };
};

/** Only when both are clear, because many words are the same in several languages. */
const isOther = (eld: Detector, one: string, other: string, shareMax: number): boolean => {
  const [a, b] = [guessLanguage(eld, one), guessLanguage(eld, other)];
  return a !== null && b !== null && Math.max(a.shareOf(b.best), b.shareOf(a.best)) < shareMax;
};

const CLOSE_SHARE = 0.9;

/**
 * Whether a keyword is in a voice's language. A wrong yes may reject a good text, so no other language may be close; but
 * most keywords are in English, and it is the language that is mistaken for others the most.
 */
const isKeywordIn = (eld: Detector, keyword: string, language: VoiceLanguage): boolean => {
  const guess = guessLanguage(eld, keyword, 1);
  if (guess === null || language === "en") return guess !== null && guess.shareOf(language) >= CLOSE_SHARE;
  const others = Object.keys(VOICE_LANGUAGES).filter((other) => other !== language);
  return guess.best === language && others.every((other) => guess.shareOf(other) < CLOSE_SHARE);
};

const isOffKeyword = async (copy: PinCopy, { keyword, hasPage, language }: ReviewContext): Promise<boolean> => {
  if (shareMentioned(copy, keyword) > (hasPage ? OFF_KEYWORD_MAX : OFF_KEYWORD_WITHOUT_PAGE_MAX)) return false;
  // A text in another language than the keyword's has other words.
  return !language || isKeywordIn(await loadDetector(), keyword, language);
};

const TITLE_SHARE_MAX = 0.7;
const SENTENCE_CHARS_MIN = 40;
const SENTENCE_SHARE_MAX = 0.6;

/** Whether sentences are in two languages. Short ones may be names, or a foreign expression. */
const isMixed = (eld: Detector, text: string): boolean => {
  const sentences = text.split(/(?<=[.!?])\s+/).filter(({ length }) => length >= SENTENCE_CHARS_MIN);
  const [first, ...rest] = sentences;
  return first !== undefined && rest.some((sentence) => isOther(eld, first, sentence, SENTENCE_SHARE_MAX));
};

const isNotIn = (eld: Detector, text: string, language: VoiceLanguage, shareMax: number): boolean => {
  const guess = guessLanguage(eld, text);
  return guess !== null && guess.shareOf(language) < shareMax;
};

/** A title without its keyword, which may be in another language. */
const withoutKeyword = (title: string, keyword: string): string =>
  title.replaceAll(new RegExp(keyword.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&"), "giu"), " ").trim();

const isWrongLanguage = async (copy: PinCopy, context: ReviewContext): Promise<boolean> => {
  const { keyword, sources = [], language } = context;
  const eld = await loadDetector();
  const { title, description, altText } = copy;
  // Titles are short, and consist of the keyword for the most part.
  if (isOther(eld, description, altText, PART_SHARE_MAX) || isMixed(eld, description)) return true;
  if (language) {
    // The name of a product may be a title in any language.
    const isName = folded(sources.join("\n")).includes(folded(title));
    const rest = withoutKeyword(title, keyword);
    return (
      isNotIn(eld, description, language, PART_SHARE_MAX) || (!isName && isNotIn(eld, rest, language, TITLE_SHARE_MAX))
    );
  }
  if (!sharesScript(keyword, description)) return true;
  // A translated text lacks most words of the keyword. If its title is the keyword, the title is in its language.
  if (!isOther(eld, keyword, description, KEYWORD_SHARE_MAX)) return false;
  const lacksKeyword = shareMentioned({ ...copy, title: "" }, keyword) <= 0.5;
  return shareMentioned(copy, keyword) <= 0.5 || (lacksKeyword && isOther(eld, title, description, TITLE_SHARE_MAX));
};

/** Everything that is wrong with a text, without asking a model. */
export const reviewCopy = async (copy: PinCopy, context: ReviewContext): Promise<ReviewFault[]> => {
  const { keyword, sources = [] } = context;
  const given = folded([keyword, ...sources].join("\n"));
  const checks: [ReviewFault, boolean][] = [
    ["not_plain", isNotPlain(copy, given, keyword)],
    ["wrong_language", await isWrongLanguage(copy, context)],
    ["off_keyword", await isOffKeyword(copy, context)],
    ["stuffed", isStuffed(copy, keyword)],
    ["banned_claim", await isBannedClaim(copy, context)],
    ["near_duplicate", sameTitles(copy.title, context).length > 0],
  ];
  return checks.flatMap(([fault, isFound]) => (isFound ? [fault] : []));
};
