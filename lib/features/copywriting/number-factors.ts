import "server-only";

/** What multiplies a number before it, by language; those with a space or a hyphen come as words. */
const WORDS: readonly (readonly [number, string])[] = [
  [12, "dozen"],
  [100, "hundred|hundert|honderd|hundra|hundre|hundrede"],
  [
    1e3,
    `thousand|tausend|tsd\\.?|mila|duizend|tys\\.?|tysiąc[ea]?|tysięcy|tusen|tusind[e]?|tuhatta|tisíce?|mii|ezer|
    χιλιάδες|тисячі|тисяч|тис\\.?`,
  ],
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

/** They mean something else in another language: 6-mil film, 3 bins, a mille. */
const AMBIGUOUS: readonly (readonly [number, string])[] = [[1e3, "mil|mille|bin"]];

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
  ...AMBIGUOUS.map(([factor, words]) => ruleOf(factor, toPattern(words), true)),
  ...SIGNS.map(([factor, sign]) => ruleOf(factor, new RegExp(`^${sign}`, "u"))),
];

/** Only right after digits. "14k gold" is no number of pieces, and a 401k is a pension. */
const LETTERS: readonly Rule[] = [
  ruleOf(
    1e3,
    /^k(?![\p{L}\p{N}])(?!(?:[ -]\p{L}+)?[ -](?:gold|plated|filled|vermeil|necklace|rings?|earrings|bracelet|chain|jewelry|pendant)(?!\p{L}))/iu,
  ),
  ruleOf(1e6, /^M(?![\p{L}\p{N}])/u),
];
/** Beside a currency, meters and pencils aren't meant. */
const PRICE_LETTERS: readonly Rule[] = [ruleOf(1e6, /^mn?(?![\p{L}\p{N}])/iu), ruleOf(1e9, /^bn?(?![\p{L}\p{N}])/iu)];
const PENSION = /^401$/;

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

/**
 * A number and the factor behind it: `10k`, `1.5 million`, `3 Tsd.`. The same number where there is none.
 * @param number `isPrice`: a currency is before it
 */
export const withFactor = (
  text: string,
  number: Multiplied & { raw: string; isWord: boolean; isPrice: boolean },
): Multiplied => {
  const letters = number.isWord || PENSION.test(number.raw) ? [] : LETTERS;
  let rules = [...(number.isPrice && !number.isWord ? PRICE_LETTERS : []), ...letters, ...RULES];
  let { readings, to } = number;
  for (let count = 0; count < FACTORS_MAX; count += 1) {
    const after = text.slice(to, to + FACTOR_CHARS);
    const rule = rules.find(({ pattern }) => pattern.test(after));
    if (!rule || readings.length === 0) break;
    const multiplied = readings.map((value) => times(value, rule.factor));
    readings = rule.isAmbiguous ? [...readings, ...multiplied] : multiplied;
    to += rule.pattern.exec(after)?.[0].length ?? 0;
    rules = [...RULES];
  }
  return { readings, to };
};
