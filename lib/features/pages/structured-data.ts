import "server-only";
import { FACT_LIMITS } from "./constants.ts";
import { amountOf, fillGaps, fillProduct, isSameName, isTitleOf } from "./gaps.ts";
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

const byValue = (a: string, b: string): number => amountOf(a) - amountOf(b);

type Product = NonNullable<PageFacts["product"]>;

const offersOf = (node: Node): Node[] => listOf(node.offers).filter(isNode).slice(0, FACT_LIMITS.ingredients);

const toProduct = (node: Node): Product => {
  const offers = offersOf(node);
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

const titleOf = ({ name, headline }: Node): string | null => nameOf(name) ?? nameOf(headline);

/** Of several items of a kind none counts, and neither does one without a name: themes mark every page as an article. */
const onlyNamed = (nodes: readonly Node[]): Node[] => {
  const named = nodes.filter((node) => titleOf(node) !== null);
  return named.length === 1 ? named : [];
};

/** A thing, and what microdata says about the same one. */
interface Found {
  node: Node;
  other: Node | null;
}

/** Cards of related things have other names. */
const sameIn = (node: Node, marked: readonly Node[]): Node | null => {
  const name = titleOf(node);
  const same = name === null ? onlyNamed(marked) : marked.filter((one) => isSameName(titleOf(one), name));
  return same.length === 1 ? (same[0] ?? null) : null;
};

const read = <Facts extends object>(found: Found | null, toFacts: (node: Node) => Facts): Facts | null => {
  if (!found) return null;
  const said = toFacts(found.node);
  return found.other ? fillGaps(said, toFacts(found.other)) : said;
};

const saysAvailability = (node: Node): boolean =>
  offersOf(node).some(({ availability }) => availabilityOf(availability) !== null);

/** Open Graph is about the page, so it counts if the page is about the product. */
const readProduct = ({ node, other }: Found, openGraph: Product | null, title: string | null): Product => {
  const sources = other ? [node, other] : [node];
  const said = sources.map(toProduct).reduce(fillProduct);
  const full = openGraph && isTitleOf(title, said.name) ? fillProduct(said, openGraph) : said;
  // Where variants differ, another source isn't right about all of them either.
  const availabilitySource = sources.find(saysAvailability);
  return availabilitySource ? { ...full, availability: toProduct(availabilitySource).availability } : full;
};

const imagesOfFound = (found: Found | null): string[] => {
  if (!found) return [];
  const images = imagesOf(found.node);
  return images.length > 0 || !found.other ? images : imagesOf(found.other);
};

interface Sources {
  /** Of JSON-LD. */
  texts: readonly string[];
  /** Of microdata. */
  items: readonly unknown[];
  openGraph: Product | null;
  /** Of the page. */
  title: string | null;
}

/**
 * What JSON-LD says about the page itself, or microdata about what no JSON-LD is about. What JSON-LD leaves out of a
 * thing is taken from microdata and Open Graph. Of several products none counts: the page is a list of them.
 * @param sources untrusted
 */
export const readStructuredData = ({ texts, items, openGraph, title }: Sources): StructuredData => {
  const [nodes, marked] = [collectNodes(texts.map(parseData)), collectNodes(items)];
  const find = (type: RegExp, isAlone = false): Found | null => {
    const same = marked.filter((node) => isOf(node, type));
    const said = nodes.filter((node) => isOf(node, type));
    const all = said.length > 0 ? said : onlyNamed(same);
    const [node] = isAlone && all.length > 1 ? [] : all;
    return node ? { node, other: said.length > 0 ? sameIn(node, same) : null } : null;
  };
  const product = find(/^(Product|ProductGroup)$/, true);
  const [recipe, howTo, article] = [find(/^Recipe$/), find(/^HowTo$/), find(/^(BlogPosting|\w*Article)$/)];
  return {
    recipe: read(recipe, toRecipe),
    product: product ? readProduct(product, openGraph, title) : openGraph,
    article: read(article, toArticle),
    howTo: read(howTo, toHowTo),
    images: [recipe, product, article, howTo].flatMap(imagesOfFound),
  };
};
