import "server-only";
import { withFactor } from "./number-factors.ts";
import { numberWordsIn } from "./number-words.ts";

type NumberKind = "plain" | "price" | "percent";

/** Readers rely on these, and no writer can know them. Grams of other things are ingredients. */
const MEASURED_AFTER =
  /^\s?(?:kcal|calories?|kalorien|calorías|calorie|calorias|calorieën|kalorii|(?:g|grams?|gramm|grammes?|gramos|grammi|gramas|gram) (?:(?:of|de|di) )?(?:protein|carbs|protéines|proteínas?|proteine))(?![ -]?(?:powder|pulver|poeder|bars?)|\p{L})/iu;
/** "12 reviews of books" is no rating, "1,200 reviews" is one. */
const MANY_MIN = 100;
const MANY = /^\d[\d.,]{2,}$/;
const REVIEWS_AFTER = /^\s?(?:\p{L}+ )?(?:reviews|ratings)(?!\p{L})/iu;
/** "Fold 12 stars" is no rating, "4.8 stars" is one. */
const RATED = /^\d[.,]\d$/;
const RATING_AFTER =
  /^[\s-]?(?:(?:out of|von|sur|de|su|van) \d+ )?(?:stars?|sternen?|étoiles|estrellas|stelle|estrelas|sterren)(?!\p{L})/iu;
const MEASURED_NEAR = 40;

interface NumberToken {
  /** As written. */
  raw: string;
  /** The values that it may stand for: `1,299` is 1299 or 1.299. Empty for a date or a version. */
  readings: string[];
  /** The numbers that it consists of. */
  parts: string[];
  kind: NumberKind;
  /** A rating, or how much of something is in food. */
  isMeasured: boolean;
  /** `one` to `ten` in words, which mostly count what anyone can see. */
  isSmallWord: boolean;
  from: number;
  to: number;
}

/** "Try 7 ideas" and "ils" are words. */
const CAPITALS = "(?-i:TRY|ILS)";
const CURRENCY = `(?:\\p{Sc}|(?:${CAPITALS}|USD|EUR|GBP|CAD|AUD|NZD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|JPY|CNY|INR|BRL|MXN|ZAR|SGD|HKD|KRW|dollars?|euros?|bucks|cents?|reais|kr|zł|złotych|kč|euroa|ευρώ|forint|грн|гривень)(?!\\p{L})|円)`;
const CURRENCY_BEFORE = new RegExp(`(?<!\\p{L})${CURRENCY}\\s?$`, "iu");
/** "14k $99": a sign right before digits is theirs. */
const CURRENCY_AFTER = new RegExp(`^(?:[\\s-]?|\\sde\\s|\\sd')(?!\\p{Sc}\\d)${CURRENCY}`, "iu");
const PERCENT_AFTER =
  /^[\s-]?(?:[%٪％﹪]|(?:percent|per cent|pct|prozent|pour cent|por ?ciento|per cento|por cento|procent|prosent|prosenttia|százalék|відсотк(?:и|ів)|la sută|τοις εκατό|퍼센트)(?!\p{L}))/iu;
/** "My two cents" is no price. */
const CENTS_AFTER = /^[\s-]?cents?/i;
const NEAR = 12;

const NUMBER = /\d+(?:[.,]\d+|'\d{3}(?!\d))*/g;

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code));

/** Digits of a script are ten characters in a row. */
const digitOf = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > 0 && isDigit(zero - 1)) zero -= 1;
  return String((code - zero) % 10);
};

/** With the digits and separators of English, and spaces that are plain. Keeps no position. */
const normalized = (text: string): string =>
  text
    .replace(/[¼-¾⅐-⅞]/g, (fraction) => ` ${fraction.normalize("NFKC").replace("⁄", "/")} `)
    .replace(/[^\p{ASCII}]/gu, (char) => (isDigit(char.codePointAt(0) ?? 0) ? digitOf(char) : char))
    .replace(/[‘’]/g, "'")
    .replaceAll("٫", ".")
    .replaceAll("٬", ",")
    .replace(/[\u00a0\u2009\u202f]/g, " ");

const canonical = (whole: string, fraction = ""): string => {
  const decimals = fraction.replace(/0+$/, "");
  return `${whole.replace(/^0+(?=\d)/, "")}${decimals && "."}${decimals}`;
};

/** `12,345`, `1.234.567`, and `1,00,000`. */
const isGrouped = (groups: readonly string[]): boolean =>
  (groups[0]?.length ?? 0) <= 3 &&
  groups.at(-1)?.length === 3 &&
  groups.slice(1).every((group) => group.length === 2 || group.length === 3);

const readingsOf = (raw: string): string[] => {
  const text = raw.replaceAll("'", "");
  const groups = text.split(/[.,]/);
  const marks = text.replace(/\d/g, "");
  const [whole = "", ...others] = groups;
  if (marks === "") return [canonical(text)];
  if (marks.length === 1) {
    const decimal = canonical(whole, others[0]);
    return isGrouped(groups) ? [decimal, canonical(groups.join(""))] : [decimal];
  }
  if (new Set(marks).size === 1) return isGrouped(groups) ? [canonical(groups.join(""))] : [];
  const last = marks.at(-1) ?? "";
  const isDecimal = marks.indexOf(last) === marks.length - 1;
  return isDecimal ? [canonical(groups.slice(0, -1).join(""), groups.at(-1))] : [];
};

const kindOf = (text: string, from: number, to: number): NumberKind => {
  const [before, after] = [text.slice(Math.max(0, from - NEAR), from), text.slice(to, to + NEAR)];
  if (PERCENT_AFTER.test(after)) return "percent";
  return CURRENCY_BEFORE.test(before) || CURRENCY_AFTER.test(after) ? "price" : "plain";
};

const isMeasured = (raw: string, text: string, to: number, isMany: boolean): boolean => {
  const after = text.slice(to, to + MEASURED_NEAR);
  if (isMany && REVIEWS_AFTER.test(after)) return true;
  return MEASURED_AFTER.test(after) || (RATED.test(raw) && RATING_AFTER.test(after));
};

const SMALL_MAX = 10;

const wordTokensOf = (text: string): NumberToken[] =>
  numberWordsIn(text).map(({ values, from, ...word }) => {
    // A currency before them belongs to another number.
    const kindTo = (end: number): NumberKind =>
      CENTS_AFTER.test(text.slice(end)) ? "plain" : kindOf(text.slice(from, end + NEAR), 0, end - from);
    const { readings, to } = withFactor(text, {
      ...{ readings: values.map(String), to: word.to, isWord: true, isAfterCurrency: false },
      isPriceTo: (end) => kindTo(end) === "price",
    });
    const raw = text.slice(from, to);
    const smallest = Math.min(...readings.map(Number));
    const kind = kindTo(to);
    const said = {
      kind,
      isMeasured: isMeasured(raw, text, to, smallest >= MANY_MIN),
      isSmallWord: smallest <= SMALL_MAX,
    };
    return { raw, from, to, readings, parts: readings, ...said };
  });

/** A number in digits, with the factor behind it. */
const digitTokenOf = (text: string, digits: string, from: number): NumberToken => {
  const end = from + digits.length;
  const { readings, to } = withFactor(text, {
    ...{ readings: readingsOf(digits), to: end, isWord: false },
    isAfterCurrency: CURRENCY_BEFORE.test(text.slice(Math.max(0, from - NEAR), from)),
    isPriceTo: (last) => kindOf(text, from, last) === "price",
  });
  const raw = text.slice(from, to);
  const isMany = to > end ? readings.some((value) => Number(value) >= MANY_MIN) : MANY.test(digits);
  return {
    ...{ raw, from, to, readings, isSmallWord: false },
    parts: to > end ? readings : digits.split(/[.,']/).map((part) => canonical(part)),
    ...{ kind: kindOf(text, from, to), isMeasured: isMeasured(raw, text, to, isMany) },
  };
};

const tokensOf = (text: string): NumberToken[] => {
  const digits = [...text.matchAll(NUMBER)].map(({ 0: raw, index: from }) => digitTokenOf(text, raw, from));
  return [...digits, ...wordTokensOf(text)].sort((a, b) => a.from - b.from);
};

/** Whether the second continues the first as its thousands: `1 299`. */
const continues = (text: string, before: NumberToken, next: NumberToken): boolean =>
  /^\d{1,3}( \d{3})*$/.test(before.raw) &&
  text.slice(before.to, next.from) === " " &&
  /^\d{3}(?:[.,]\d{1,2})?$/.test(next.raw);

const joined = (text: string, first: NumberToken, last: NumberToken): NumberToken => {
  const { from, to } = { from: first.from, to: last.to };
  const raw = text.slice(from, to);
  return { ...last, raw, readings: readingsOf(raw.replaceAll(" ", "")), kind: kindOf(text, from, to), from, to };
};

/** Runs of tokens that may be a single number, each with that number; most have one token. */
const runsOf = (text: string): { whole: NumberToken; tokens: NumberToken[] }[] => {
  const runs: { whole: NumberToken; tokens: NumberToken[] }[] = [];
  for (const token of tokensOf(text)) {
    const run = runs.at(-1);
    if (run && continues(text, run.whole, token)) {
      run.whole = joined(text, run.whole, token);
      run.tokens.push(token);
    } else runs.push({ whole: token, tokens: [token] });
  }
  return runs;
};

type Known = Record<NumberKind, Set<string>>;

const HAS_CENTS = /^\d[\d.,' ]*[.,]\d{2}$/;

/** A price and a percentage also count as plain numbers, but not the other way around. */
const knownIn = (texts: readonly string[]): Known => {
  const known: Known = { plain: new Set(), price: new Set(), percent: new Set() };
  const tokens = texts.map(normalized).flatMap((text) => runsOf(text).flatMap((run) => [run.whole, ...run.tokens]));
  for (const { raw, readings, parts, kind } of tokens) {
    for (const value of readings.length > 0 ? readings : parts) known.plain.add(value);
    const isPrice = kind === "plain" && HAS_CENTS.test(raw);
    for (const value of readings) known[isPrice ? "price" : kind].add(value);
  }
  return known;
};

const isKnown = (known: Known, { readings, parts, kind }: NumberToken): boolean =>
  readings.length > 0
    ? readings.some((value) => known[kind].has(value))
    : parts.every((value) => known.plain.has(value));

/** Without a page, only a number that a reader would rely on needs a source; any number of the user's words is one. */
const isClaimKnown = (known: Known, { readings, parts, kind, isMeasured }: NumberToken): boolean =>
  (kind === "plain" && !isMeasured) || [...readings, ...parts].some((value) => known.plain.has(value));

/**
 * The numbers in a text that no source has, as written there. A price needs a price in a source, a percentage a
 * percentage. The way a number is written doesn't matter: `1,299.00`, `1.299`, and `1 299` are the same, and so are `20`
 * and `twenty`, or `10k` and `10,000`. Words up to ten need a source only as prices and percentages.
 * @param scope `claims`: only prices, percentages, ratings, and what is in food need a source
 */
export const inventedNumbers = (
  texts: readonly string[],
  sources: readonly string[],
  scope: "all" | "claims" = "all",
): string[] => {
  const known = knownIn(sources);
  const hasSource = (token: NumberToken): boolean => {
    if (token.isSmallWord && token.kind === "plain") return true;
    return scope === "claims" ? isClaimKnown(known, token) : isKnown(known, token);
  };
  const invented = texts.map(normalized).flatMap((text) =>
    runsOf(text).flatMap(({ whole, tokens }) => {
      if (hasSource(whole)) return [];
      return tokens.filter((token) => !hasSource(token)).map(({ raw }) => raw);
    }),
  );
  return [...new Set(invented)];
};
