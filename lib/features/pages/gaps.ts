import "server-only";
import type { PageFacts } from "./schema.ts";

type Product = NonNullable<PageFacts["product"]>;

/**
 * A comma before one or two last digits is a decimal one, and dots before it separate thousands. Else commas and spaces
 * before three digits do.
 */
export const amountOf = (price: string): number =>
  Number.parseFloat(
    price
      .replace(/^\D+/, "")
      .replace(/^[\d.]+(?=,\d{1,2}(?!\d))/, (whole) => whole.replaceAll(".", ""))
      .replaceAll(/[,\s](?=\d{3}(?!\d))/g, "")
      .replace(/,(?=\d{1,2}(?!\d))/, "."),
  );

const wordsOf = (name: string | null): string =>
  (name ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether two names are the same, apart from case and punctuation. */
export const isSameName = (one: string | null, other: string | null): boolean =>
  wordsOf(one) !== "" && wordsOf(one) === wordsOf(other);

/** Whether a page's title contains this name; shops append their own. True without a name. */
export const isTitleOf = (title: string | null, name: string | null): boolean =>
  name === null || (wordsOf(name) !== "" && ` ${wordsOf(title)} `.includes(` ${wordsOf(name)} `));

const isGap = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** Fills missing facts from another source. */
export const fillGaps = <Facts extends object>(said: Facts, other: Facts): Facts => {
  const theirs = new Map<string, unknown>(Object.entries(other));
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, isGap(value) ? theirs.get(name) : value]),
  ) as Facts;
};

/** A price keeps its own currency, and isn't incomplete because another source has a range. */
const fillPrice = (said: Product, other: Product): Partial<Product> => {
  if (said.price === null && other.price !== null) return { ...other, currency: other.currency ?? said.currency };
  const isSamePrice = said.price !== null && other.price !== null && amountOf(other.price) === amountOf(said.price);
  return { ...said, currency: said.currency ?? (isSamePrice ? other.currency : null) };
};

export const fillProduct = (said: Product, other: Product): Product => {
  const { price = null, highPrice = null, currency = null } = fillPrice(said, other);
  return { ...fillGaps(said, other), price, highPrice, currency };
};
