import type { Price, Product } from "./catalog.ts";
import type { Details, LineTotals, Proration, Totals } from "./model.ts";
import { newId } from "./state.ts";

/** Buyer countries with their currency and its value per thousand dollars. All other countries pay in dollars. */
export const COUNTRIES = {
  US: { name: "United States", currency: "USD", rate: 1_000 },
  GB: { name: "United Kingdom", currency: "GBP", rate: 790 },
  DE: { name: "Germany", currency: "EUR", rate: 920 },
  FR: { name: "France", currency: "EUR", rate: 920 },
  CH: { name: "Switzerland", currency: "CHF", rate: 880 },
  CA: { name: "Canada", currency: "CAD", rate: 1_370 },
  AU: { name: "Australia", currency: "AUD", rate: 1_520 },
  BR: { name: "Brazil", currency: "BRL", rate: 5_400 },
  IN: { name: "India", currency: "INR", rate: 84_000 },
  JP: { name: "Japan", currency: "JPY", rate: 150_000 },
} as const;

export function currencyOf(country: string): string {
  return new Map<string, { currency: string }>(Object.entries(COUNTRIES)).get(country)?.currency ?? "USD";
}

/** Minor units to major units: 1350 cents are 13.5. */
export function toMajor(minor: number, currency: string): number {
  return minor / unitsOf(currency);
}

/** Minor units for display: `$30.00`. */
export function formatMinor(minor: number | string, currency: string): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(toMajor(Number(minor), currency));
}

/** Minor units per major unit: the yen has none. */
function unitsOf(currency: string): number {
  return currency === "JPY" ? 1 : 100;
}

function rateOf(currency: string): number {
  const country = Object.values(COUNTRIES).find((item) => item.currency === currency);
  if (country === undefined) throw new Error(`The stand-in has no rate for ${currency}`);
  return country.rate;
}

function convert(minor: number, from: string, to: string): number {
  if (from === to) return minor;
  const scale = unitsOf(to) / unitsOf(from);
  return Math.round((minor * scale * rateOf(to)) / rateOf(from));
}

/** A line to charge. With `share`, only for that part of the period. */
export interface Line {
  price: Price;
  product: Product;
  quantity: number;
  share?: { days: number; of: number };
  proration?: Proration;
}

interface Terms {
  currency: string;
  taxPercent: number;
  at: Date;
  credit?: number;
}

const FEE_PERCENT = 5;
const FEE_FIXED_DOLLAR_CENTS = 50;

/** The price of one item, in minor units. */
export function unitAmount({ unit_price: { amount, currency_code } }: Price, currency: string): number {
  return convert(Number(amount), currency_code, currency);
}

/** The price of a line including tax, in minor units. */
export function lineAmount({ price, quantity, share = { days: 1, of: 1 } }: Line, currency: string): number {
  return Math.round((unitAmount(price, currency) * quantity * share.days) / share.of);
}

/** Splits an amount that includes tax. */
export function withTax(amount: number, taxPercent: number): LineTotals {
  const subtotal = Math.round((amount * 100) / (100 + taxPercent));
  return { subtotal: String(subtotal), discount: "0", tax: String(amount - subtotal), total: String(amount) };
}

/** `0.2` for 20. */
export function taxRate(percent: number): string {
  return String(percent / 100);
}

export type LineItem = ReturnType<typeof newLineItem>;

function newLineItem(line: Line, { currency, taxPercent, at }: Terms) {
  return {
    id: newId("txnitm", at),
    price_id: line.price.id,
    quantity: line.quantity,
    tax_rate: taxRate(taxPercent),
    proration: line.proration ?? null,
    unit_totals: withTax(unitAmount(line.price, currency), taxPercent),
    totals: withTax(lineAmount(line, currency), taxPercent),
    product: line.product,
  };
}

/** The details of an unpaid transaction. */
export function detailsOf(lines: Line[], terms: Terms): Details {
  const { currency, taxPercent, credit = 0 } = terms;
  const line_items = lines.map((line) => newLineItem(line, terms));
  const sum = addUp(line_items.map(({ totals }) => totals));
  const used = Math.min(credit, Number(sum.total));
  const due = String(Number(sum.total) - used);
  const totals: Totals = {
    ...sum,
    credit: String(used),
    credit_to_balance: "0",
    balance: due,
    grand_total: due,
    fee: null,
    earnings: null,
    currency_code: currency,
  };
  return {
    tax_rates_used: [{ tax_rate: taxRate(taxPercent), totals: sum }],
    totals,
    adjusted_totals: adjustedTotals(totals),
    payout_totals: null,
    line_items,
  };
}

/** The details of a paid transaction. */
export function paidDetails(details: Details): Details {
  return { ...details, totals: { ...details.totals, balance: "0" } };
}

/** The details of a completed transaction, including Paddle's fee. */
export function completedDetails(details: Details): Details {
  const { totals } = details;
  const grand = Number(totals.grand_total);
  const fixed = convert(FEE_FIXED_DOLLAR_CENTS, "USD", totals.currency_code);
  const fee = grand === 0 ? 0 : Math.min(Math.round((grand * FEE_PERCENT) / 100) + fixed, grand);
  const completed = { ...totals, balance: "0", fee: String(fee), earnings: String(grand - Number(totals.tax) - fee) };
  return { ...details, totals: completed, adjusted_totals: adjustedTotals(completed), payout_totals: completed };
}

/** What remains of a transaction: everything, or only the fee once it was returned. */
export function adjustedTotals(totals: Totals, isReturned = false): Details["adjusted_totals"] {
  const left = (amount: string | null) => (isReturned ? "0" : (amount ?? "0"));
  return {
    subtotal: left(totals.subtotal),
    tax: left(totals.tax),
    total: left(totals.total),
    grand_total: left(totals.grand_total),
    fee: totals.fee ?? "0",
    earnings: left(totals.earnings),
    currency_code: totals.currency_code,
  };
}

function addUp(totals: LineTotals[]): LineTotals {
  const sum = (field: keyof LineTotals) => String(totals.reduce((all, item) => all + Number(item[field]), 0));
  return { subtotal: sum("subtotal"), discount: sum("discount"), tax: sum("tax"), total: sum("total") };
}
