import {
  type LineItem,
  type LineTotals,
  newId,
  type Price,
  type Product,
  type Proration,
  type Totals,
  type Transaction,
} from "./model.ts";
import type { Paddle } from "./respond.ts";
import type { Edit } from "./state.ts";
import { convert, currencyOf } from "./time.ts";

/** One line that is to be charged. With `share` only so many days of the period are. */
export interface Line {
  price: Price;
  product: Product;
  quantity: number;
  share?: { days: number; of: number };
  proration?: Proration;
}

/** What amounts are worked out with. */
interface Terms {
  currency: string;
  country: string;
  taxPercent: number;
  at: Date;
  /** Credit that may be used, in lowest units. */
  credit?: number;
}

export type Details = Transaction["details"];

const FEE_PERCENT = 5;
const FEE_FIXED_DOLLAR_CENTS = 50;

/** What a price costs a buyer: the override of the country, else the fixed table's. In lowest units of `currency`. */
export function unitAmount(price: Price, country: string, currency: string): number {
  const override = price.unit_price_overrides.find(({ country_codes }) => country_codes.includes(country));
  const { amount, currency_code } = override?.unit_price ?? price.unit_price;
  return convert(Number(amount), currency_code, currency);
}

/** The currency for a buyer: the override's when there is one for the country. */
export function currencyFor(prices: Price[], country: string): string {
  const overrides = prices.flatMap(({ unit_price_overrides }) => unit_price_overrides);
  const fitting = overrides.find(({ country_codes }) => country_codes.includes(country));
  return fitting?.unit_price.currency_code ?? currencyOf(country);
}

/** Amount of a line without regard to tax, in lowest units. */
export function lineAmount({ price, quantity, share }: Line, { country, currency }: Terms): number {
  const whole = unitAmount(price, country, currency) * quantity;
  return share === undefined ? whole : Math.round((whole * share.days) / share.of);
}

/** The details of a transaction that is not paid yet. */
export function detailsOf(lines: Line[], terms: Terms): Details {
  const items = lines.map((line) => toLineItem(line, terms));
  const sum = addUp(items.map(({ totals }) => totals));
  const total = Number(sum.total);
  const used = Math.min(Math.max(terms.credit ?? 0, 0), total);
  const due = String(total - used);
  const totals: Totals = {
    ...sum,
    credit: String(used),
    credit_to_balance: "0",
    balance: due,
    grand_total: due,
    fee: null,
    earnings: null,
    currency_code: terms.currency,
  };
  return {
    tax_rates_used: [{ tax_rate: taxRate(terms.taxPercent), totals: sum }],
    totals,
    adjusted_totals: adjusted(totals),
    payout_totals: null,
    line_items: items,
  };
}

/** The same details when the money is there, and, once `isCompleted`, Paddle's fee is known. */
export function paidDetails(details: Details, isCompleted: boolean): Details {
  const { totals } = details;
  const paid = { ...totals, balance: "0" };
  if (!isCompleted) return { ...details, totals: paid };
  const fixed = convert(FEE_FIXED_DOLLAR_CENTS, "USD", totals.currency_code);
  const grand = Number(totals.grand_total);
  const fee = grand === 0 ? 0 : Math.min(Math.round((grand * FEE_PERCENT) / 100) + fixed, grand);
  const settled = { ...paid, fee: String(fee), earnings: String(grand - Number(totals.tax) - fee) };
  return { ...details, totals: settled, adjusted_totals: adjusted(settled), payout_totals: settled };
}

/** Line totals added up. */
function addUp(totals: LineTotals[]): LineTotals {
  const sum = (field: keyof LineTotals) => String(totals.reduce((all, one) => all + Number(one[field]), 0));
  return { subtotal: sum("subtotal"), discount: sum("discount"), tax: sum("tax"), total: sum("total") };
}

/** `0.2` for 20. */
export function taxRate(percent: number): string {
  return String(percent / 100);
}

function toLineItem(line: Line, terms: Terms): LineItem {
  const isAdded = line.price.tax_mode === "external";
  const whole = lineAmount(line, terms);
  const unit = unitAmount(line.price, terms.country, terms.currency);
  return {
    id: newId("txnitm", terms.at),
    price_id: line.price.id,
    quantity: line.quantity,
    tax_rate: taxRate(terms.taxPercent),
    proration: line.proration ?? null,
    unit_totals: withTax(unit, terms.taxPercent, isAdded),
    totals: withTax(whole, terms.taxPercent, isAdded),
    product: line.product,
  };
}

/** Amount before or including tax, split. */
export function withTax(amount: number, taxPercent: number, isAdded: boolean): LineTotals {
  const tax = isAdded
    ? Math.round((amount * taxPercent) / 100)
    : amount - Math.round((amount * 100) / (100 + taxPercent));
  const subtotal = isAdded ? amount : amount - tax;
  return { subtotal: String(subtotal), discount: "0", tax: String(tax), total: String(subtotal + tax) };
}

function adjusted({ subtotal, tax, total, grand_total, fee, earnings, currency_code }: Totals) {
  return { subtotal, tax, total, grand_total, fee: fee ?? "0", earnings: earnings ?? "0", currency_code };
}

/** Credit of a customer in one currency, in lowest units. */
export function creditOf({ store }: Paddle, customerId: string, currency: string): number {
  return store.state.balances.get(`${customerId} ${currency}`)?.amount ?? 0;
}

/** Puts the credit at this amount. */
export function putCredit(one: Edit, customerId: string, currency: string, amount: number): void {
  one.put("balances", { id: `${customerId} ${currency}`, customerId, currency, amount });
}
