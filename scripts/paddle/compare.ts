import type { CataloguePrice } from "#lib/integrations/payments/port.ts";
import type { Article } from "../catalogue.ts";

/** What there is of an article: the price to use, those it had before, and what is not as our table says. */
export type Finding = {
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
export function compare(article: Article, prices: readonly CataloguePrice[], named: readonly string[]): Finding {
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
