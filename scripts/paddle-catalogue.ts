import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { CataloguePrice, PaymentAnswer, PaymentsPort } from "#lib/integrations/payments/port.ts";
import { type Article, articles } from "./catalogue.ts";
import type { Variables } from "./compose.ts";
import { OperatorError, readSetting } from "./operator.ts";

const KEY_OF = { sandbox: "pdl_sdbx_", production: "pdl_live_" } as const;

/**
 * How these settings reach Paddle.
 * @throws OperatorError for what is missing, and for a key that is of the other environment
 */
export function readConnection(settings: Variables): { apiKey: string; apiUrl: string } {
  const apiKey = readSetting(settings, "PADDLE_API_KEY");
  const environment = readSetting(settings, "PADDLE_ENVIRONMENT");
  const apiUrl = readSetting(settings, "PADDLE_API_URL");
  const other = environment === "sandbox" ? "production" : "sandbox";
  if (apiUrl === undefined && apiKey.startsWith(KEY_OF[other])) {
    throw new OperatorError(`PADDLE_API_KEY is a key of ${other}, but PADDLE_ENVIRONMENT is ${environment}.`);
  }
  return { apiKey, apiUrl: apiUrl ?? environment };
}

const ids = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const named = z.record(z.string(), ids);

/** What PADDLE_PRICES names so far; it may lack some. @throws OperatorError when it is no JSON of texts */
export function readNamedPrices({ PADDLE_PRICES }: Variables): Record<string, string[]> {
  if (!PADDLE_PRICES) return {};
  try {
    return named.parse(JSON.parse(PADDLE_PRICES));
  } catch {
    throw new OperatorError("PADDLE_PRICES is not JSON as this command prints it. Take it out, or mend it.");
  }
}

/** What there is of an article: the price to use, those it had before, and what is not as our table says. */
type Finding = {
  article: Article;
  price: CataloguePrice | undefined;
  /** Ids of its archived prices, and those that PADDLE_PRICES names as former ones. */
  former: string[];
  differences: string[];
};

const CENTS = 100;

/** `29 USD each month`, `13.5 USD once`. */
function terms({ amountMinor, currency, interval }: Pick<CataloguePrice, "amountMinor" | "currency" | "interval">) {
  return `${amountMinor / CENTS} ${currency} ${interval === null ? "once" : `each ${interval}`}`;
}

/**
 * Finds the price of an article among those of the environment, by our own mark on it. Archived ones are not sold, but
 * whoever subscribed to one goes on paying it.
 * @param named the ids that PADDLE_PRICES names for it, the sold one first; empty when it is not set
 */
function compare(article: Article, prices: readonly CataloguePrice[], named: readonly string[]): Finding {
  const own = prices.filter(({ key }) => key === article.key);
  const live = own.filter(({ isActive }) => isActive);
  const [namedId, ...namedFormer] = named;
  const price = live.find(({ id }) => id === namedId) ?? live[0];
  const archived = own.filter(({ isActive }) => !isActive).map(({ id }) => id);
  const former = [...new Set([...archived, ...namedFormer])].filter((id) => id !== price?.id);
  if (price === undefined) return { article, price, former, differences: [] };
  const ours = terms({ ...article, currency: "USD" });
  const differences = [
    ...(terms(price) === ours ? [] : [`${article.key} (${price.id}): ${terms(price)} there, ${ours} in our table`]),
    ...(live.length > 1
      ? [`${article.key}: ${live.length} active prices (${live.map(({ id }) => id).join(", ")}); archive all but one`]
      : []),
    ...(namedId !== undefined && namedId !== price.id
      ? [`${article.key}: PADDLE_PRICES names ${namedId}, but the price is ${price.id}`]
      : []),
  ];
  return { article, price, former, differences };
}

/** What of the provider the setup needs. */
type Catalogue = Pick<PaymentsPort, "listProducts" | "listPrices" | "createProduct" | "createPrice">;

type SetUp = {
  /** Only look and compare. */
  isCheckOnly: boolean;
  /** Price ids as PADDLE_PRICES names them; empty when it is not set. */
  named: Readonly<Record<string, readonly string[]>>;
  say: (line: string) => void;
};

export type SetUpResult = {
  /** Price ids by key, of all that are there now. */
  prices: Record<string, string>;
  /** Ids by key of prices that are sold no more, where there are any. */
  former: Record<string, string[]>;
  /** Keys without a price; none unless only looked. */
  missing: string[];
  /** What is not as our table says, a sentence each. Nothing of it was changed. */
  differences: string[];
};

const WAITS_MAX = 10;
const SECOND_MS = 1_000;

/**
 * Makes the products and prices that an environment lacks (R-PAY-01) and compares those that are there. What was made
 * carries our key, so it is found again: it may run twice, and be ended at any place.
 * @throws OperatorError when the provider refuses or does not answer
 */
export async function setUpCatalogue(catalogue: Catalogue, { isCheckOnly, named, say }: SetUp): Promise<SetUpResult> {
  const prices = await ask("list the prices", () => catalogue.listPrices(), say);
  const found = articles().map((article) => compare(article, prices, named[article.key] ?? []));
  const former = formerOf(found);
  const differences = found.flatMap((one) => one.differences);
  const missing = found.filter(({ price }) => price === undefined).map(({ article }) => article);
  say(`${found.length - missing.length} of ${found.length} prices are there.`);
  // With an amount in doubt nothing is made beside it.
  if (isCheckOnly || differences.length > 0) {
    return { prices: idsOf(found), former, missing: missing.map(({ key }) => key), differences };
  }
  const made = await makeAll(catalogue, missing, say);
  return { prices: idsOf([...found, ...made]), former, missing: [], differences };
}

async function makeAll(catalogue: Catalogue, missing: readonly Article[], say: SetUp["say"]): Promise<Finding[]> {
  if (missing.length === 0) return [];
  const products = await ask("list the products", () => catalogue.listProducts(), say);
  const known = new Map(products.filter(({ isActive }) => isActive).map(({ key, id }) => [key, id]));
  const made: Finding[] = [];
  for (const article of missing) {
    const { product } = article;
    const productId =
      known.get(product.key) ?? (await ask(`make ${product.name}`, () => catalogue.createProduct(product), say)).id;
    known.set(product.key, productId);
    const price = await ask(`make ${article.key}`, () => catalogue.createPrice({ ...article, productId }), say);
    say(`Made ${article.key}: ${price.id}`);
    made.push({ article, price, former: [], differences: [] });
  }
  return made;
}

/** Asks, and waits when the provider wants that. A lost answer ends it: what came of it shows in the next run. */
async function ask<T>(what: string, call: () => Promise<PaymentAnswer<T>>, say: SetUp["say"]): Promise<T> {
  for (let waits = 0; ; waits++) {
    const answer = await call();
    if (answer.kind === "ok") return answer.value;
    const { kind, detail = "", text, retryAfterSeconds = 1 } = answer.problem;
    if (kind !== "rate_limited" || waits === WAITS_MAX) {
      throw new OperatorError(`Could not ${what}. ${text} (${detail}) Run it again: what is there is found.`);
    }
    say(`Paddle asks to wait ${retryAfterSeconds} s.`);
    await delay(retryAfterSeconds * SECOND_MS);
  }
}

function formerOf(found: readonly Finding[]): Record<string, string[]> {
  return Object.fromEntries(found.flatMap(({ article, former }) => (former.length > 0 ? [[article.key, former]] : [])));
}

function idsOf(found: readonly Finding[]): Record<string, string> {
  const entries = found.flatMap(({ article, price }): [string, string][] => (price ? [[article.key, price.id]] : []));
  const order = new Map(articles().map(({ key }, index) => [key as string, index]));
  return Object.fromEntries(entries.sort(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0)));
}
