import "server-only";
import type { Ctx } from "#lib/context.ts";
import { VOICE_LANGUAGES } from "#lib/features/branding/constants.ts";
import type { Voice } from "#lib/features/branding/voice.ts";
import { durationText } from "#lib/features/pages/policy.ts";
import type { PageFacts } from "#lib/features/pages/schema.ts";
import type { CopyOutcome, PageData, PinCopy, VoiceData } from "#lib/integrations/ai/port.ts";
import { inventedNumbers } from "./invented-numbers.ts";

const minutesText = (minutes: number | null): string | null =>
  // Both, because either way of writing it is true to the page.
  minutes === null ? null : minutes < 60 ? durationText(minutes) : `${durationText(minutes)} (${minutes} minutes)`;

const isSaid = (value: unknown): boolean => value !== null && value !== "" && !(Array.isArray(value) && !value.length);

const saidIn = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value)));

const priceOf = ({ price, highPrice, currency }: NonNullable<PageFacts["product"]>): string | null =>
  price && [price, highPrice].flatMap((one) => (one ? [[one, currency].filter(Boolean).join(" ")] : [])).join(" to ");

/** What a model gets to see of a page. */
export const toPageData = ({ recipe, product, article, howTo, ...facts }: PageFacts): PageData =>
  saidIn({
    title: facts.title,
    site: facts.siteName,
    language: facts.language,
    description: facts.description,
    product:
      product &&
      saidIn({
        name: product.name,
        brand: product.brand,
        price: priceOf(product),
        availability: product.availability,
      }),
    recipe:
      recipe &&
      saidIn({
        name: recipe.name,
        ingredients: recipe.ingredients,
        steps: recipe.steps,
        prep_time: minutesText(recipe.prepMinutes),
        cook_time: minutesText(recipe.cookMinutes),
        total_time: minutesText(recipe.totalMinutes),
        yield: recipe.yield,
      }),
    how_to: howTo && saidIn({ name: howTo.name, steps: howTo.steps }),
    article: article && saidIn({ headline: article.headline, author: article.author, published: article.publishedAt }),
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
}

/** Texts that numbers may come from. A URL may say what its page says, so it counts while the page is unknown. */
const sourcesOf = ({ keyword, url, facts, voice, insteadOf = "" }: CopyRequest): string[] => [
  keyword,
  insteadOf,
  voice.about,
  ...voice.wordsToUse,
  ...(facts ? [facts.host, ...textsIn(toPageData(facts))] : [url ?? ""]),
];

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
  invented: string[];
  avoided: string[];
}

const fixFor = ({ invented, avoided }: Faults): string =>
  [
    "Write the three texts again.",
    invented.length > 0 &&
      `Your last answer had numbers that are neither in "page" nor in "keyword": ${invented.slice(0, 10).join("; ")}. Leave out these and any other number that is not there.`,
    avoided.length > 0 && 'Your last answer had words of the list "avoid" in "voice". Leave them out.',
  ]
    .filter(Boolean)
    .join(" ");

/** `invented`, `avoided`: the repaired text still had numbers that are on no page, or words to avoid. */
export type GroundedCopy = CopyOutcome | { kind: "invented" | "avoided" };

/**
 * Copy whose numbers all come from its page or keyword, without words that the voice avoids. A text with other numbers
 * or such words is sent back once. Numbers of rows without a URL aren't checked: there is no page to contradict.
 */
export const writeGroundedCopy = async (
  ctx: Pick<Ctx<"ai">, "ai" | "log">,
  request: CopyRequest,
): Promise<GroundedCopy> => {
  const { facts, voice, ...row } = request;
  const avoid = avoidedWords(request);
  const input = {
    ...row,
    ...(facts && { page: toPageData(facts) }),
    ...(!isDefault(voice) && { voice: toVoiceData({ ...voice, wordsToAvoid: avoid }) }),
  };
  const write = async (fix?: string): Promise<CopyOutcome> => {
    const outcome = await ctx.ai.writeCopy({ ...input, ...(fix && { fix }) });
    return outcome.kind === "written" ? { kind: "written", copy: withoutUnwanted(outcome.copy, voice) } : outcome;
  };
  const faultsOf = (outcome: CopyOutcome): Faults => {
    if (outcome.kind !== "written") return { invented: [], avoided: [] };
    const { title, description, altText } = outcome.copy;
    const texts = [title, description, altText];
    const invented = row.url === null ? [] : inventedNumbers(texts, sourcesOf(request));
    return { invented, avoided: foundIn(texts.join(" "), avoid) };
  };
  const first = await write();
  const faults = faultsOf(first);
  if (faults.invented.length + faults.avoided.length === 0) return first;
  ctx.log.count("copy_repairs");
  const second = await write(fixFor(faults));
  const left = faultsOf(second);
  if (left.invented.length > 0) return { kind: "invented" };
  return left.avoided.length > 0 ? { kind: "avoided" } : second;
};
