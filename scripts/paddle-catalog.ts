import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { CatalogPrice, PaymentResult, PaymentsPort } from "#lib/integrations/payments/port.ts";
import { type CatalogItem, catalogItems } from "./catalog.ts";
import type { Variables } from "./compose.ts";
import { OperatorError, readSetting } from "./operator.ts";

const KEY_OF = { sandbox: "pdl_sdbx_", production: "pdl_live_" } as const;

/**
 * The Paddle connection in these settings.
 * @throws OperatorError for missing settings, or a key of the other environment
 */
export function readConnection(settings: Variables): { apiKey: string; apiUrl: string } {
  const apiKey = readSetting(settings, "PADDLE_API_KEY");
  const environment = readSetting(settings, "PADDLE_ENVIRONMENT");
  const apiUrl = readSetting(settings, "PADDLE_API_URL");
  const other = environment === "sandbox" ? "production" : "sandbox";
  if (apiUrl === undefined && apiKey.startsWith(KEY_OF[other])) {
    throw new OperatorError(`PADDLE_API_KEY is a ${other} key, but PADDLE_ENVIRONMENT is ${environment}.`);
  }
  return { apiKey, apiUrl: apiUrl ?? environment };
}

const ids = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const named = z.record(z.string(), ids);

/** The prices in PADDLE_PRICES; it may be incomplete. @throws OperatorError if it is not valid JSON */
export function readNamedPrices({ PADDLE_PRICES }: Variables): Record<string, string[]> {
  if (!PADDLE_PRICES) return {};
  try {
    return named.parse(JSON.parse(PADDLE_PRICES));
  } catch {
    throw new OperatorError("PADDLE_PRICES is not valid JSON. Remove or fix it.");
  }
}

/** A catalog item with its price in Paddle, its former prices, and the differences from our table. */
type ItemComparison = {
  item: CatalogItem;
  price: CatalogPrice | undefined;
  /** Ids of its archived prices, and of the former ones in PADDLE_PRICES. */
  former: string[];
  differences: string[];
};

const CENTS = 100;

/** `29 USD each month`, `13.5 USD once`. */
function terms({ amountMinor, currency, interval }: Pick<CatalogPrice, "amountMinor" | "currency" | "interval">) {
  return `${amountMinor / CENTS} ${currency} ${interval === null ? "once" : `each ${interval}`}`;
}

/**
 * Finds the price of an item in Paddle by our key in its custom data. Archived prices are not for sale, but existing
 * subscribers still pay them.
 * @param named the ids in PADDLE_PRICES, the current one first; empty if unset
 */
function compare(item: CatalogItem, prices: readonly CatalogPrice[], named: readonly string[]): ItemComparison {
  const own = prices.filter(({ key }) => key === item.key);
  const live = own.filter(({ isActive }) => isActive);
  const [namedId, ...namedFormer] = named;
  const price = live.find(({ id }) => id === namedId) ?? live[0];
  const archived = own.filter(({ isActive }) => !isActive).map(({ id }) => id);
  const former = [...new Set([...archived, ...namedFormer])].filter((id) => id !== price?.id);
  if (price === undefined) return { item, price, former, differences: [] };
  const ours = terms({ ...item, currency: "USD" });
  const differences = [
    ...(terms(price) === ours ? [] : [`${item.key} (${price.id}): ${terms(price)} in Paddle, ${ours} in our table`]),
    ...(live.length > 1
      ? [`${item.key}: ${live.length} active prices (${live.map(({ id }) => id).join(", ")}); archive all but one`]
      : []),
    ...(namedId !== undefined && namedId !== price.id
      ? [`${item.key}: PADDLE_PRICES lists ${namedId}, but the price is ${price.id}`]
      : []),
  ];
  return { item, price, former, differences };
}

/** The part of the payments port that the setup uses. */
type CatalogPort = Pick<PaymentsPort, "listProducts" | "listPrices" | "createProduct" | "createPrice">;

type SetUp = {
  /** Only compare. */
  isCheckOnly: boolean;
  /** Price ids in PADDLE_PRICES; empty if unset. */
  named: Readonly<Record<string, readonly string[]>>;
  log: (line: string) => void;
};

export type SetUpResult = {
  /** Ids of all existing prices by key. */
  prices: Record<string, string>;
  /** Ids of prices that are no longer sold, by key. */
  former: Record<string, string[]>;
  /** Keys without a price; empty unless only comparing. */
  missing: string[];
  /** Differences from our table, one message each. They are not fixed automatically. */
  differences: string[];
};

const MAX_WAITS = 10;
const SECOND_MS = 1_000;

/**
 * Creates the missing products and prices in Paddle, and compares the existing ones. New ones carry our key, so the
 * setup is idempotent and may be interrupted. @throws OperatorError if Paddle rejects a call or does not respond
 */
export async function setUpCatalog(catalog: CatalogPort, { isCheckOnly, named, log }: SetUp): Promise<SetUpResult> {
  const prices = await callWithRetry("list the prices", () => catalog.listPrices(), log);
  const found = catalogItems().map((item) => compare(item, prices, named[item.key] ?? []));
  const former = formerOf(found);
  const differences = found.flatMap((item) => item.differences);
  const missing = found.filter(({ price }) => price === undefined).map(({ item }) => item);
  log(`${found.length - missing.length} of ${found.length} prices exist.`);
  // Don't create anything while an existing amount is in doubt.
  if (isCheckOnly || differences.length > 0) {
    return { prices: idsOf(found), former, missing: missing.map(({ key }) => key), differences };
  }
  const made = await createMissing(catalog, missing, log);
  return { prices: idsOf([...found, ...made]), former, missing: [], differences };
}

async function createMissing(
  catalog: CatalogPort,
  missing: readonly CatalogItem[],
  log: SetUp["log"],
): Promise<ItemComparison[]> {
  if (missing.length === 0) return [];
  const products = await callWithRetry("list the products", () => catalog.listProducts(), log);
  const known = new Map(products.filter(({ isActive }) => isActive).map(({ key, id }) => [key, id]));
  const made: ItemComparison[] = [];
  for (const item of missing) {
    const { product } = item;
    const productId =
      known.get(product.key) ??
      (await callWithRetry(`create ${product.name}`, () => catalog.createProduct(product), log)).id;
    known.set(product.key, productId);
    const price = await callWithRetry(`create ${item.key}`, () => catalog.createPrice({ ...item, productId }), log);
    log(`Created ${item.key}: ${price.id}`);
    made.push({ item, price, former: [], differences: [] });
  }
  return made;
}

/** Calls Paddle, waiting when rate limited. After a lost response it gives up: the next run finds what was created. */
async function callWithRetry<T>(what: string, call: () => Promise<PaymentResult<T>>, log: SetUp["log"]): Promise<T> {
  for (let waits = 0; ; waits++) {
    const answer = await call();
    if (answer.kind === "ok") return answer.value;
    const { kind, detail = "", text, retryAfterSeconds = 1 } = answer.problem;
    if (kind !== "rate_limited" || waits === MAX_WAITS) {
      throw new OperatorError(`Could not ${what}. ${text} (${detail}) Run it again; it continues where it stopped.`);
    }
    log(`Paddle is rate limiting; waiting ${retryAfterSeconds} s.`);
    await delay(retryAfterSeconds * SECOND_MS);
  }
}

function formerOf(found: readonly ItemComparison[]): Record<string, string[]> {
  return Object.fromEntries(found.flatMap(({ item, former }) => (former.length > 0 ? [[item.key, former]] : [])));
}

function idsOf(found: readonly ItemComparison[]): Record<string, string> {
  const entries = found.flatMap(({ item, price }): [string, string][] => (price ? [[item.key, price.id]] : []));
  const order = new Map(catalogItems().map(({ key }, index) => [key as string, index]));
  return Object.fromEntries(entries.sort(([item], [other]) => (order.get(item) ?? 0) - (order.get(other) ?? 0)));
}
