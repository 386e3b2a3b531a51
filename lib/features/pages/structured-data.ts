import "server-only";
import { FACT_LIMITS } from "./constants.ts";
import type { PageFacts } from "./schema.ts";
import { parseOrNull, tidy, tidyList } from "./tidy.ts";

type Node = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 6;
const NODES_MAX = 1_000;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** Many pages have line breaks inside of texts, a comment around the data, or a semicolon after it. */
const parseData = (source: string): unknown => {
  const bare = source
    .trim()
    .replace(/^(<!--|<!\[CDATA\[|\/\/<!\[CDATA\[)/, "")
    .replace(/(;|-->|\]\]>|\/\/\]\]>)$/, "");
  return parseOrNull(source) ?? parseOrNull(bare.replace(/\p{Cc}+/gu, " "));
};

/** Where pages put what they are about. Items of a list are other pages. */
const INSIDE = ["@graph", "mainEntity", "mainEntityOfPage"];

const collectNodes = (values: readonly unknown[]): Node[] => {
  const found: Node[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (depth > DEPTH_MAX || found.length >= NODES_MAX) return;
    if (Array.isArray(value)) for (const item of value.slice(0, NODES_MAX)) collect(item, depth + 1);
    if (!isNode(value)) return;
    found.push(value);
    for (const name of INSIDE) collect(value[name], depth + 1);
  };
  for (const value of values) collect(value, 0);
  return found;
};

/** The last part of `https://schema.org/Recipe`. */
const lastPart = (value: unknown): string => (typeof value === "string" ? (value.split(/[/#:]/).at(-1) ?? "") : "");

const isOf = (node: Node, type: RegExp): boolean => listOf(node["@type"]).some((one) => type.test(lastPart(one)));

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" && Number.isFinite(value) ? String(value) : "";

/** A text, or the name of a person, brand, or thing; the first one of a list. */
const nameOf = (value: unknown, max: number = FACT_LIMITS.name): string | null => {
  const [first] = listOf(value);
  return tidy(isNode(first) ? textOf(first.name) : textOf(first), max);
};

const minutesOf = (value: unknown): number | null => {
  const match = /^P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d{1,5}(?:\.\d+)?S)?)?$/i.exec(
    textOf(value).trim(),
  );
  if (!match) return null;
  const [days = 0, hours = 0, minutes = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return days * 1_440 + hours * 60 + minutes || null;
};

/** Steps are texts, or objects with a text or a name, maybe in sections. */
const stepTexts = (value: unknown, depth = 0): string[] =>
  depth > DEPTH_MAX
    ? []
    : listOf(value)
        .slice(0, NODES_MAX)
        .flatMap((step) => {
          if (!isNode(step)) return typeof step === "string" ? step.split(/\r?\n+/) : [];
          const inside = step.itemListElement ?? step.steps;
          if (inside !== undefined && depth < DEPTH_MAX) return stepTexts(inside, depth + 1);
          return [textOf(step.text) || textOf(step.name)];
        });

const stepsOf = (value: unknown): string[] => tidyList(stepTexts(value), FACT_LIMITS.step, FACT_LIMITS.steps);

const toRecipe = (node: Node): NonNullable<PageFacts["recipe"]> => ({
  name: nameOf(node.name),
  ingredients: tidyList(
    listOf(node.recipeIngredient ?? node.ingredients).map(textOf),
    FACT_LIMITS.ingredient,
    FACT_LIMITS.ingredients,
  ),
  steps: stepsOf(node.recipeInstructions),
  prepMinutes: minutesOf(node.prepTime),
  cookMinutes: minutesOf(node.cookTime),
  totalMinutes: minutesOf(node.totalTime),
  yield: nameOf(node.recipeYield ?? node.yield),
});

const AVAILABILITY: Readonly<Record<string, string>> = {
  instock: "in stock",
  outofstock: "out of stock",
  oos: "out of stock",
  soldout: "sold out",
  preorder: "pre-order",
  backorder: "back order",
  limitedavailability: "limited availability",
  onlineonly: "online only",
  instoreonly: "in store only",
  discontinued: "discontinued",
};

/** `https://schema.org/InStock`, and Open Graph's `in stock` and `oos`. */
export const availabilityOf = (value: unknown): string | null => {
  const key = lastPart(value)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  return Object.hasOwn(AVAILABILITY, key) ? (AVAILABILITY[key] ?? null) : null;
};

const PRICE_MAX = 30;

const pricesOf = (offer: Node): (string | null)[] => {
  const [specification] = listOf(offer.priceSpecification);
  const price = offer.price ?? (isNode(specification) ? specification.price : undefined);
  const all = price === undefined ? [offer.lowPrice, offer.highPrice] : listOf(price);
  return all.map((one) => tidy(textOf(one), PRICE_MAX));
};

const currencyOf = (offer: Node): string | null => {
  const [specification] = listOf(offer.priceSpecification);
  return nameOf(offer.priceCurrency ?? (isNode(specification) ? specification.priceCurrency : undefined), PRICE_MAX);
};

/** Commas and spaces before three digits separate thousands. A currency may come first. */
const amountOf = (price: string): number =>
  Number.parseFloat(price.replace(/^\D+/, "").replaceAll(/[,\s](?=\d{3}(?!\d))/g, ""));

const byValue = (a: string, b: string): number => amountOf(a) - amountOf(b);

const toProduct = (node: Node): NonNullable<PageFacts["product"]> => {
  const offers = listOf(node.offers).filter(isNode).slice(0, FACT_LIMITS.ingredients);
  const prices = [...new Set(offers.flatMap(pricesOf).filter((price) => price !== null))].sort(byValue);
  const states = new Set(offers.map(({ availability }) => availabilityOf(availability)));
  return {
    name: nameOf(node.name),
    brand: nameOf(node.brand ?? node.manufacturer),
    price: prices[0] ?? null,
    highPrice: prices.length > 1 ? (prices.at(-1) ?? null) : null,
    currency: offers.map(currencyOf).find((currency) => currency !== null) ?? null,
    // Variants may differ, and then nothing can be said about all of them.
    availability: states.size === 1 ? ([...states][0] ?? null) : null,
  };
};

const toArticle = (node: Node): NonNullable<PageFacts["article"]> => ({
  headline: nameOf(node.headline ?? node.name),
  author: nameOf(node.author),
  publishedAt: tidy(textOf(node.datePublished), PRICE_MAX),
});

const toHowTo = (node: Node): NonNullable<PageFacts["howTo"]> => ({
  name: nameOf(node.name),
  steps: stepsOf(node.step),
});

const imagesOf = (node: Node): string[] =>
  listOf(node.image)
    .slice(0, FACT_LIMITS.images)
    .map((image) => (isNode(image) ? textOf(image.url) : textOf(image)));

export type StructuredData = Pick<PageFacts, "recipe" | "product" | "article" | "howTo"> & { images: string[] };

/** Of several items of a kind none counts, and neither does one without a name: themes mark every page as an article. */
const onlyNamed = (nodes: readonly Node[]): Node[] => {
  const named = nodes.filter(({ name, headline }) => (nameOf(name) ?? nameOf(headline)) !== null);
  return named.length === 1 ? named : [];
};

/**
 * What JSON-LD says about the page itself, or microdata about what no JSON-LD is about. Of several products none counts:
 * the page is a list of them.
 * @param sources untrusted texts
 * @param items untrusted, of microdata
 */
export const readStructuredData = (sources: readonly string[], items: readonly unknown[]): StructuredData => {
  const [nodes, marked] = [collectNodes(sources.map(parseData)), collectNodes(items)];
  const ofType = (type: RegExp) => {
    const found = nodes.filter((node) => isOf(node, type));
    return found.length > 0 ? found : onlyNamed(marked.filter((node) => isOf(node, type)));
  };
  const products = ofType(/^(Product|ProductGroup)$/);
  const [product] = products.length === 1 ? products : [];
  const [[recipe], [howTo]] = [ofType(/^Recipe$/), ofType(/^HowTo$/)];
  const [article] = ofType(/^(BlogPosting|\w*Article)$/);
  return {
    recipe: recipe ? toRecipe(recipe) : null,
    product: product ? toProduct(product) : null,
    article: article ? toArticle(article) : null,
    howTo: howTo ? toHowTo(howTo) : null,
    images: [recipe, product, article, howTo].flatMap((node) => (node ? imagesOf(node) : [])),
  };
};
