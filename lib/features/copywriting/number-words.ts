import "server-only";

const ONES = "one two three four five six seven eight nine ten".split(" ");
const TEENS = "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** Without words that mean something else in another of our languages: `elf`, `once`, `onze`, `seize`, `doze`, `doce`, `trece`, `cent`. */
const OTHERS: Readonly<Record<number, string>> = {
  12: "zwölf douze dodici twaalf",
  13: "dreizehn treize tredici treze dertien",
  14: "vierzehn quatorze catorce quattordici veertien",
  15: "fünfzehn quinze quindici vijftien",
  16: "sechzehn zestien",
  20: "zwanzig vingt veinte vinte twintig",
  30: "dreißig trente treinta trenta trinta dertig",
  40: "vierzig quarante cuarenta quaranta quarenta veertig",
  50: "fünfzig cinquante cincuenta cinquanta cinquenta vijftig",
  60: "sechzig soixante sesenta sessanta zestig",
  70: "siebzig setenta settanta zeventig",
  80: "achtzig ochenta ottanta tachtig",
  90: "neunzig noventa novanta negentig",
};

const VALUES: ReadonlyMap<string, number> = new Map([
  ...TENS.map((word, at) => [word, 10 * (at + 1)] as const),
  ...[...ONES, ...TEENS].map((word, at) => [word, at + 1] as const),
  ...Object.entries(OTHERS).flatMap(([value, words]) => words.split(" ").map((word) => [word, Number(value)] as const)),
]);

const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ["dozen", 12],
  ["hundred", 100],
  ["thousand", 1_000],
]);

const WORD = `(?:half a|${[...VALUES.keys()].join("|")})`;
/** `A hundred ways` and `by the dozen` are no numbers; `a dozen eggs` is. */
const PATTERN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:a(?= dozen)|${WORD})(?:-(?:${ONES.slice(0, 9).join("|")}))?(?: (?:${[...MULTIPLES.keys()].join("|")}))?(?![\\p{L}\\p{N}])`,
  "giu",
);

const valueOfWords = (words: string): number | null => {
  const [last = "", ...before] = words.split(" ").toReversed();
  const multiple = MULTIPLES.get(last);
  const counted = multiple === undefined ? words : before.toReversed().join(" ");
  if (counted === "a") return multiple ?? null;
  if (counted === "half a") return multiple === undefined ? null : multiple / 2;
  const sum = counted.split("-").reduce((total, word) => total + (VALUES.get(word) ?? Number.NaN), 0);
  return Number.isNaN(sum) ? null : sum * (multiple ?? 1);
};

export interface NumberWords {
  raw: string;
  value: number;
  from: number;
  to: number;
}

/** Numbers that a text has in words, such as `twenty-five`, `two dozen`, and `vingt`. */
export const numberWordsIn = (text: string): NumberWords[] =>
  [...text.matchAll(PATTERN)].flatMap(({ 0: raw, index: from }) => {
    const value = valueOfWords(raw.toLowerCase());
    return value === null ? [] : [{ raw, value, from, to: from + raw.length }];
  });
