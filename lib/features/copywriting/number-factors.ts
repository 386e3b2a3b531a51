import "server-only";
import { MULTIPLES } from "./number-words.ts";

/** They mean something else in another language: 6-mil film, 3 bins, a mille, a name, a 3 set. */
const AMBIGUOUS = /^(?:mil|mille|mila|bin|sta|set)\b/;

const certainOf = (words: readonly string[]): string => words.filter((word) => !AMBIGUOUS.test(word)).join("|");
const ambiguousOf = (words: readonly string[]): string => words.filter((word) => AMBIGUOUS.test(word)).join("|");

/** What multiplies a number before it, by language; those with a space or a hyphen come as words. */
const WORDS: readonly (readonly [number, string])[] = [
  [12, certainOf(MULTIPLES.dozen)],
  [100, certainOf(MULTIPLES.hundred)],
  [1e3, `${certainOf(MULTIPLES.thousand)}|tsd\\.?|tys\\.?|tysiąca?|тис\\.?`],
  [
    1e6,
    `millions?|million(?:en|er)|mio\\.?|mill\\.|millón|millones|milione|milioni|milhão|milhões|miljoen|miljoner|miljoonaa|
    milion[yiů]?|milionów|mln\\.?|millió|milioane|εκατομμύρια|εκατ\\.?|milyon|мільйон(?:и|ів|а)?|млн\\.?`,
  ],
  [
    1e9,
    `billions?|milliards?|milliard(?:en|er)|mrd\\.?|mld\\.?|bn|mil millones|mil milhões|miliardi|miliardo|miliard[yůi]?|
    miliardów|miljard(?:er|ia)?|milyar|мільярд(?:и|ів|а)?|млрд\\.?`,
  ],
];

const AMBIGUOUS_WORDS: readonly (readonly [number, string])[] = [
  [100, ambiguousOf(MULTIPLES.hundred)],
  [1e3, ambiguousOf(MULTIPLES.thousand)],
];

const SIGNS: readonly (readonly [number, string])[] = [
  [1e3, "[千천]"],
  [1e4, "[万萬만]"],
  [1e8, "[億亿억]"],
];

const toPattern = (words: string): RegExp =>
  new RegExp(`^[ -]?(?:${words.replace(/\s*\n\s*/g, "")})(?![\\p{L}\\p{N}])`, "iu");

interface Rule {
  pattern: RegExp;
  factor: number;
  isAmbiguous: boolean;
}

const ruleOf = (factor: number, pattern: RegExp, isAmbiguous = false): Rule => ({ pattern, factor, isAmbiguous });

const RULES: readonly Rule[] = [
  ...WORDS.toReversed().map(([factor, words]) => ruleOf(factor, toPattern(words))),
  ...AMBIGUOUS_WORDS.map(([factor, words]) => ruleOf(factor, toPattern(words), true)),
  ...SIGNS.map(([factor, sign]) => ruleOf(factor, new RegExp(`^${sign}`, "u"))),
];

/** After digits only. They are units too: 14k gold, a 5K run, size 6M, a 2m rug. */
const LETTERS: readonly Rule[] = [
  ruleOf(1e3, /^k(?![\p{L}\p{N}])/iu, true),
  ruleOf(1e6, /^(?:m| ?mn)(?![\p{L}\p{N}])/iu, true),
];
/** Where a currency isn't before it, a pencil is meant. */
const PRICE_LETTERS: readonly Rule[] = [ruleOf(1e9, /^b(?![\p{L}\p{N}])/iu)];

const FACTOR_CHARS = 24;
/** "3 hundred thousand". */
const FACTORS_MAX = 2;

/** Without the noise of binary fractions. */
const times = (value: string, factor: number): string => String(Number((Number(value) * factor).toPrecision(15)));

interface Multiplied {
  /** What a number may stand for together with what follows it. */
  readings: string[];
  to: number;
}

interface Factored extends Multiplied {
  isWord: boolean;
  isAfterCurrency: boolean;
  /** Whether a currency is beside the number if it ends there. */
  isPriceTo: (to: number) => boolean;
}

/**
 * A number and the factor behind it: `10k`, `1.5 million`, `3 Tsd.`. The same number where there is none. A factor that
 * could also be another word is read both ways, with and without multiplying, except in a price.
 */
export const withFactor = (text: string, number: Factored): Multiplied => {
  const letters = number.isAfterCurrency ? [...PRICE_LETTERS, ...LETTERS] : LETTERS;
  let rules = number.isWord ? RULES : [...letters, ...RULES];
  let { readings, to } = number;
  for (let count = 0; count < FACTORS_MAX; count += 1) {
    const after = text.slice(to, to + FACTOR_CHARS);
    const rule = rules.find(({ pattern }) => pattern.test(after));
    if (!rule || readings.length === 0) break;
    const multiplied = readings.map((value) => times(value, rule.factor));
    to += rule.pattern.exec(after)?.[0].length ?? 0;
    readings = rule.isAmbiguous && !number.isPriceTo(to) ? [...readings, ...multiplied] : multiplied;
    rules = RULES;
  }
  return { readings, to };
};
