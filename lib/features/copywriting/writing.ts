import "server-only";
import type { Ctx } from "#lib/context.ts";
import { VOICE_LANGUAGES } from "#lib/features/branding/constants.ts";
import type { Voice } from "#lib/features/branding/voice.ts";
import { durationText } from "#lib/features/pages/policy.ts";
import type { PageFacts } from "#lib/features/pages/schema.ts";
import type { CopyOutcome, PageData, PinCopy, VoiceData } from "#lib/integrations/ai/port.ts";
import type { CopyFault } from "./constants.ts";
import { inventedNumbers } from "./invented-numbers.ts";
import { reviewCopy, sameTitles } from "./review.ts";

const minutesText = (minutes: number | null): string | null =>
  // Both, because either way of writing it is true to the page.
  minutes === null ? null : minutes < 60 ? durationText(minutes) : `${durationText(minutes)} (${minutes} minutes)`;

const hasValue = (value: unknown): boolean =>
  value !== null && value !== "" && !(Array.isArray(value) && !value.length);

const withoutEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => hasValue(value)));

const priceOf = ({ price, highPrice, currency }: NonNullable<PageFacts["product"]>): string | null =>
  price && [price, highPrice].flatMap((one) => (one ? [[one, currency].filter(Boolean).join(" ")] : [])).join(" to ");

/** What a model gets to see of a page. */
export const toPageData = ({ recipe, product, article, howTo, ...facts }: PageFacts): PageData =>
  withoutEmpty({
    title: facts.title,
    site: facts.siteName,
    language: facts.language,
    description: facts.description,
    product:
      product &&
      withoutEmpty({
        name: product.name,
        brand: product.brand,
        price: priceOf(product),
        availability: product.availability,
      }),
    recipe:
      recipe &&
      withoutEmpty({
        name: recipe.name,
        ingredients: recipe.ingredients,
        steps: recipe.steps,
        prep_time: minutesText(recipe.prepMinutes),
        cook_time: minutesText(recipe.cookMinutes),
        total_time: minutesText(recipe.totalMinutes),
        yield: recipe.yield,
      }),
    how_to: howTo && withoutEmpty({ name: howTo.name, steps: howTo.steps }),
    article:
      article && withoutEmpty({ headline: article.headline, author: article.author, published: article.publishedAt }),
    headings: facts.headings,
    text: facts.text,
  });

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

interface CopyRequest {
  keyword: string;
  url: string | null;
  /** Null when there is no page, or it couldn't be used. */
  facts: PageFacts | null;
  voice: Voice;
  safetyId: string;
  insteadOf?: string;
  /** Only this text is used, so only this one is reviewed. */
  part?: "title" | "description";
  variant?: number;
  /** Of the account's pins; the new title must differ from them. */
  otherTitles?: OtherTitle[];
}

export interface OtherTitle {
  title: string;
  /** The model gets to see these; any other is compared only afterwards. */
  hasSameKeyword: boolean;
}

/** Enough to show what is taken, and short enough for a prompt. */
const TITLES_SHOWN_MAX = 10;

/** While the page is unknown, its URL counts, and so does the pin's own text when a part of it is suggested anew. */
const sourcesWithoutPage = ({ url, part, insteadOf = "" }: CopyRequest): string[] =>
  // The title of an earlier pin never counts: its price may have changed since.
  part === undefined ? [url ?? ""] : [url ?? "", insteadOf];

const sourcesOf = (request: CopyRequest): string[] => {
  const { keyword, facts, voice } = request;
  const found = facts ? [facts.host, ...textsIn(toPageData(facts))] : sourcesWithoutPage(request);
  return [keyword, voice.about, ...voice.wordsToUse, ...found];
};

const isDefault = ({ about, wordsToUse, wordsToAvoid, language, hasEmoji, hasHashtags }: Voice): boolean =>
  about === "" && wordsToUse.length + wordsToAvoid.length === 0 && language === null && !hasEmoji && hasHashtags;

const toVoiceData = (voice: Voice): VoiceData => ({
  ...{ about: voice.about, use: voice.wordsToUse, avoid: voice.wordsToAvoid },
  language: voice.language && VOICE_LANGUAGES[voice.language],
  ...{ emoji: voice.hasEmoji, hashtags: voice.hasHashtags },
});

const HASHTAG = /\s*#(?=\p{L})[\p{L}\p{N}_]+/gu;
const EMOJI = /\s*\p{RGI_Emoji}/gv;

/** Removes what the voice rules out and a model added all the same. */
const withoutUnwanted = (copy: PinCopy, { hasEmoji, hasHashtags }: Voice): PinCopy => {
  const tagless = hasHashtags ? copy.description : copy.description.replaceAll(HASHTAG, "");
  const description = (
    hasEmoji
      ? tagless
      : tagless
          .replaceAll(EMOJI, " ")
          .replaceAll(/ +/g, " ")
          .replaceAll(/ (?=[.,!?])/g, "")
  ).trim();
  return { ...copy, description: description === "" ? copy.description : description };
};

const wordsOf = (text: string): string => ` ${text.normalize("NFKC").toLowerCase()} `.replace(/[^\p{L}\p{N}]+/gu, " ");

/** Their words aren't separated. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Those that a text has as whole words, in any case. */
const foundIn = (text: string, words: readonly string[]): string[] => {
  const searched = wordsOf(text);
  return words.filter((word) => {
    const key = wordsOf(word);
    return key.trim() !== "" && searched.includes(UNSPACED.test(key) ? key.trim() : key);
  });
};

/** A keyword or product that has such a word must be named all the same. */
const avoidedWords = ({ voice, keyword, facts }: CopyRequest): string[] => {
  const named = foundIn([keyword, facts?.product?.name ?? ""].join(" "), voice.wordsToAvoid);
  return voice.wordsToAvoid.filter((word) => !named.includes(word));
};

interface Faults {
  /** In the order in which they are told. */
  kinds: CopyFault[];
  invented: string[];
  /** Earlier titles that the title repeats. */
  repeated: string[];
}

const NO_FAULTS: Faults = { kinds: [], invented: [], repeated: [] };

const FIXES = {
  invented_number: ({ invented }) =>
    `Your last answer had numbers that are neither in "page" nor in "keyword": ${invented.slice(0, 10).join("; ")}. Leave out these and any other number that is not there.`,
  avoided_word: () => 'Your last answer had words of the list "avoid" in "voice". Leave them out.',
  not_plain: () =>
    "Your last answer had markup, a web address, a label, a placeholder, or a remark about the task. Answer with the texts only, and keep emoji and hashtags out of the title.",
  wrong_language: () => "Your last answer was in the wrong language. Write all three texts in the language asked for.",
  off_keyword: () => 'Your last answer was about something else. Write about "keyword" and use its words naturally.',
  stuffed: () => "Your last answer repeated words or hashtags. Write natural sentences with at most three hashtags.",
  banned_claim: () =>
    "Your last answer had promises of health, income, or success, a claim to be the best, an invented recommendation, or pressure to hurry. Leave these out.",
  near_duplicate: () => 'Your last title says nearly the same as one of "other_titles". Write a clearly different one.',
} satisfies Record<CopyFault, (faults: Faults) => string>;

const fixFor = (faults: Faults): string =>
  ["Write the three texts again.", ...faults.kinds.map((kind) => FIXES[kind](faults))].join(" ");

/** `rejected`: the repaired text still had this fault. */
export type GroundedCopy = CopyOutcome | { kind: "rejected"; fault: CopyFault };

const reviewedPart = ({ title, description }: PinCopy, { part, keyword }: CopyRequest): PinCopy =>
  part === "title"
    ? { title, description: title, altText: title }
    : { title: keyword, description, altText: description };

const faultsOf = async (written: PinCopy, request: CopyRequest, avoid: readonly string[]): Promise<Faults> => {
  const { keyword, url, facts, voice, otherTitles = [] } = request;
  const copy = request.part ? reviewedPart(written, request) : written;
  const texts = [copy.title, copy.description, copy.altText];
  const sources = sourcesOf(request);
  const titles = otherTitles.map(({ title }) => title);
  const named = [facts?.product?.name, facts?.product?.brand, facts?.recipe?.name, facts?.howTo?.name];
  const trusted = [voice.about, ...voice.wordsToUse, ...named.map((name) => name ?? "")];
  const hasPage = facts !== null;
  const context = { keyword, sources, trusted, hasPage, language: voice.language, otherTitles: titles };
  // Without a page, "7 ideas" contradicts nothing, but a price, a percentage, or a rating is made up.
  const invented = inventedNumbers(texts, sources, url === null ? "claims" : "all");
  const kinds: CopyFault[] = [
    ...(invented.length > 0 ? (["invented_number"] as const) : []),
    ...(foundIn(texts.join(" "), avoid).length > 0 ? (["avoided_word"] as const) : []),
    ...(await reviewCopy(copy, context)),
  ];
  const repeated = kinds.includes("near_duplicate") ? sameTitles(copy.title, context) : [];
  return { kinds, invented, repeated };
};

/**
 * Copy that passed our review: its numbers come from the page, the keyword, or the voice, it has no words that the
 * voice avoids, and none of the faults of `review.ts`. A text with a fault is sent back once.
 */
export const writeGroundedCopy = async (
  ctx: Pick<Ctx<"ai">, "ai" | "log">,
  request: CopyRequest,
): Promise<GroundedCopy> => {
  const { facts, voice, otherTitles = [], part: _, ...row } = request;
  const avoid = avoidedWords(request);
  const input = {
    ...row,
    ...(facts && { page: toPageData(facts) }),
    ...(!isDefault(voice) && { voice: toVoiceData({ ...voice, wordsToAvoid: avoid }) }),
  };
  const shown = otherTitles.flatMap(({ title, hasSameKeyword }) => (hasSameKeyword ? [title] : []));
  const write = async (faults: Faults): Promise<[CopyOutcome, Faults]> => {
    const titles = [...new Set([...faults.repeated, ...shown])].slice(0, TITLES_SHOWN_MAX);
    const outcome = await ctx.ai.writeCopy({
      ...input,
      ...(titles.length > 0 && { otherTitles: titles }),
      ...(faults.kinds.length > 0 && { fix: fixFor(faults) }),
    });
    if (outcome.kind !== "written") return [outcome, NO_FAULTS];
    const copy = withoutUnwanted(outcome.copy, voice);
    return [{ kind: "written", copy }, await faultsOf(copy, request, avoid)];
  };
  const [first, faults] = await write(NO_FAULTS);
  if (faults.kinds.length === 0) return first;
  ctx.log.count("copy_repairs");
  const [second, left] = await write(faults);
  const [fault] = left.kinds;
  return fault === undefined ? second : { kind: "rejected", fault };
};
