const LETTERS: Record<string, number> = {
  k: 1e3,
  m: 1e6,
  b: 1e9,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  тыс: 1e3,
  млн: 1e6,
  млрд: 1e9,
  mil: 1e3,
  mi: 1e6,
  mio: 1e6,
  mln: 1e6,
  mrd: 1e9,
  rb: 1e3,
  jt: 1e6,
  n: 1e3,
  tr: 1e6,
  千: 1e3,
  천: 1e3,
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  亿: 1e8,
  億: 1e8,
  억: 1e8,
};

/** Longer texts are no counts; it also bounds the patterns below. */
const COUNT_LENGTH_MAX = 48;

const COUNT = /([-−]\s?)?((?:\d|\.\d)[\d.,'’\s]*)(\p{L}*)/u;

/** A very large or small number as a program writes it out. */
const EXPONENTIAL = /^\d(?:\.\d+)?e[+-]\d{1,3}$/;

/** A unit with a word behind it, "1.2Kviews"; but "5 months" and "3min" have none. */
const UNIT_IN_WORD = /^(?:[KMB]|[kmb](?=views|likes|plays))/;

/** Where the ten digits of other scripts begin: Arabic, Persian, Devanagari, Bengali, Thai. */
const DIGIT_BLOCKS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const toPlainDigit = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  const block = DIGIT_BLOCKS.find((start) => code >= start && code < start + 10);
  return block === undefined ? letter : String(code - block);
};

const toPlainText = (text: string): string =>
  /[^\0-\x7f]/.test(text)
    ? text
        .normalize("NFKC")
        .replace(/\p{Nd}/gu, toPlainDigit)
        .replaceAll("٫", ".")
        .replaceAll("٬", ",")
    : text;

/** Digits with their marks as a number: null when the marks make no number ("1.2.3"). */
const toNumber = (digits: string, isShortened: boolean): number | null => {
  const tight = digits.replace(/[\s'’]/g, "").replace(/[.,]+$/, "");
  // Marks before each three digits group thousands, unless a unit follows: "1.234" are 1234 views, "1.234M" are not.
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(tight)) return Number(tight.replaceAll(",", ""));
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(tight) && !(isShortened && /^\d+\.\d+$/.test(tight))) {
    return Number(tight.replaceAll(".", "").replace(",", "."));
  }
  if (isShortened && /^\d+,\d{1,2}$/.test(tight)) return Number(tight.replace(",", "."));
  return /^[\d,]*(\.\d+)?$/.test(tight) ? Number(tight.replaceAll(",", "")) : null;
};

/** What a number is multiplied with, by the letters behind it. */
const unitOf = (letters: string, isAttached: boolean): number => {
  const known = LETTERS[letters.toLowerCase()];
  if (known !== undefined || !isAttached) return known ?? 1;
  return LETTERS[UNIT_IN_WORD.exec(letters)?.[0].toLowerCase() ?? ""] ?? 1;
};

/**
 * A count as a page shows it, as a whole number (R-VID-30): "1.2K" is 1200, K, M and B in either case, units of
 * other languages as far as known ("1,2 млн", "3万"). Missing, negative and unreadable counts are 0; it is never NaN
 * and never beyond the largest safe integer.
 */
export const viewsOf = (text: string | null | undefined): number => {
  if (!text || text.length > COUNT_LENGTH_MAX) return 0;
  if (EXPONENTIAL.test(text)) return Math.min(Math.round(Number(text)), Number.MAX_SAFE_INTEGER);
  const found = COUNT.exec(toPlainText(text));
  if (!found || found[1] !== undefined) return 0;
  const [, , digits = "", letters = ""] = found;
  const unit = unitOf(letters, !/\s$/.test(digits));
  const number = toNumber(digits, unit > 1);
  if (number === null) return 0;
  return Math.min(Math.round(number * unit), Number.MAX_SAFE_INTEGER);
};
