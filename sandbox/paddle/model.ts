import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import type { Paddle } from "./respond.ts";

/** Entities are kept as Paddle spells them, so that what is stored is what is answered and sent. */

/** An amount in the lowest unit of its currency, as text. */
interface Money {
  amount: string;
  currency_code: string;
}

export interface Duration {
  interval: "day" | "week" | "month" | "year";
  frequency: number;
}

/** ISO 8601 in UTC, to the microsecond. */
export interface Period {
  starts_at: string;
  ends_at: string;
}

export type CustomData = Record<string, unknown> | null;

/** What each entity has. */
interface Dated {
  id: string;
  created_at: string;
  updated_at: string;
}

export interface Product extends Dated {
  name: string;
  description: string | null;
  type: "standard" | "custom";
  tax_category: string;
  image_url: string | null;
  custom_data: CustomData;
  status: "active" | "archived";
  import_meta: null;
}

export interface Price extends Dated {
  product_id: string;
  name: string | null;
  description: string;
  type: "standard" | "custom";
  billing_cycle: Duration | null;
  trial_period: Duration | null;
  tax_mode: "account_setting" | "external" | "internal" | "location";
  unit_price: Money;
  unit_price_overrides: { country_codes: string[]; unit_price: Money }[];
  quantity: { minimum: number; maximum: number };
  status: "active" | "archived";
  custom_data: CustomData;
  import_meta: null;
}

export interface Customer extends Dated {
  name: string | null;
  email: string;
  locale: string;
  status: "active" | "archived";
  marketing_consent: boolean;
  custom_data: CustomData;
  import_meta: null;
}

export interface Address extends Dated {
  customer_id: string;
  description: string | null;
  first_line: string | null;
  second_line: string | null;
  city: string | null;
  postal_code: string | null;
  region: string | null;
  country_code: string;
  status: "active" | "archived";
  custom_data: CustomData;
  import_meta: null;
}

export interface LineTotals {
  subtotal: string;
  discount: string;
  tax: string;
  total: string;
}

export interface Totals extends LineTotals {
  credit: string;
  credit_to_balance: string;
  balance: string;
  grand_total: string;
  fee: string | null;
  earnings: string | null;
  currency_code: string;
}

export interface Proration {
  rate: string;
  billing_period: Period;
}

export interface LineItem {
  id: string;
  price_id: string;
  quantity: number;
  tax_rate: string;
  proration: Proration | null;
  unit_totals: LineTotals;
  totals: LineTotals;
  product: Product;
}

interface AdjustedTotals {
  subtotal: string;
  tax: string;
  total: string;
  grand_total: string;
  fee: string | null;
  earnings: string | null;
  currency_code: string;
}

export interface Payment {
  amount: string;
  status: "captured" | "error" | "action_required" | "pending";
  error_code: string | null;
  payment_attempt_id: string;
  payment_method_id: string;
  stored_payment_method_id: string;
  method_details: { type: "card"; card: CardDetails };
  created_at: string;
  captured_at: string | null;
}

export interface CardDetails {
  type: string;
  last4: string;
  expiry_month: number;
  expiry_year: number;
  cardholder_name: string;
}

export type TransactionOrigin =
  | "web"
  | "api"
  | "subscription_recurring"
  | "subscription_charge"
  | "subscription_update"
  | "subscription_payment_method_change";

type TransactionStatus = "draft" | "ready" | "billed" | "paid" | "completed" | "canceled" | "past_due";

export interface Transaction extends Dated {
  status: TransactionStatus;
  customer_id: string | null;
  address_id: string | null;
  business_id: null;
  custom_data: CustomData;
  currency_code: string;
  origin: TransactionOrigin;
  subscription_id: string | null;
  invoice_id: string | null;
  invoice_number: string | null;
  collection_mode: "automatic" | "manual";
  discount_id: null;
  billing_details: null;
  billing_period: Period | null;
  items: { price: Price; quantity: number; proration: Proration | null }[];
  details: {
    tax_rates_used: { tax_rate: string; totals: LineTotals }[];
    totals: Totals;
    adjusted_totals: AdjustedTotals;
    payout_totals: Totals | null;
    line_items: LineItem[];
  };
  payments: Payment[];
  checkout: { url: string | null };
  billed_at: string | null;
  revised_at: null;
}

export interface SubscriptionItem {
  status: "active" | "inactive" | "trialing";
  quantity: number;
  recurring: boolean;
  created_at: string;
  updated_at: string;
  previously_billed_at: string | null;
  next_billed_at: string | null;
  trial_dates: Period | null;
  price: Price;
  product: Product;
}

export interface ScheduledChange {
  action: "cancel" | "pause" | "resume";
  effective_at: string;
  resume_at: string | null;
}

type SubscriptionStatus = "active" | "trialing" | "past_due" | "paused" | "canceled";

export interface Subscription extends Dated {
  status: SubscriptionStatus;
  customer_id: string;
  address_id: string;
  business_id: null;
  currency_code: string;
  started_at: string | null;
  first_billed_at: string | null;
  next_billed_at: string | null;
  paused_at: string | null;
  canceled_at: string | null;
  discount: null;
  collection_mode: "automatic" | "manual";
  billing_details: null;
  current_billing_period: Period | null;
  billing_cycle: Duration;
  scheduled_change: ScheduledChange | null;
  items: SubscriptionItem[];
  custom_data: CustomData;
  import_meta: null;
}

export type AdjustmentAction = "refund" | "credit" | "chargeback" | "chargeback_reverse" | "chargeback_warning";

export interface Adjustment extends Dated {
  action: AdjustmentAction;
  type: "full" | "partial";
  transaction_id: string;
  subscription_id: string | null;
  customer_id: string;
  reason: string;
  credit_applied_to_balance: boolean | null;
  currency_code: string;
  status: "pending_approval" | "approved" | "rejected" | "reversed";
  items: AdjustmentItem[];
  totals: AdjustmentTotals;
  payout_totals: AdjustmentTotals | null;
}

export interface AdjustmentItem {
  id: string;
  item_id: string;
  type: "full" | "partial" | "tax" | "proration";
  amount: string;
  proration: null;
  totals: { subtotal: string; tax: string; total: string };
}

interface AdjustmentTotals {
  subtotal: string;
  tax: string;
  total: string;
  fee: string;
  earnings: string;
  currency_code: string;
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** An id as Paddle makes them: a prefix, then a lower-case ULID whose first ten characters are the time. */
export function newId(prefix: string, at: Date): string {
  let time = at.getTime();
  let stamp = "";
  for (let place = 0; place < TIME_CHARS; place += 1) {
    stamp = `${ALPHABET[time % ALPHABET.length]}${stamp}`;
    time = Math.floor(time / ALPHABET.length);
  }
  const rest = [...randomBytes(RANDOM_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `${prefix}_${stamp}${rest}`;
}

/** A secret for a link. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Faults can be aimed with `where: {transaction, subscription, customer, user, price}`; `user` is custom data's `user_id`. */
export async function labelsOf(paddle: Paddle, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { state } = paddle.store;
  const body = await bodyOf(c);
  const named = /\/(txn|sub|ctm)_[a-z\d]+/.exec(c.req.path)?.[0].slice(1);
  const transaction = state.transactions.get(named ?? String(body.transaction_id));
  const subscription = state.subscriptions.get(named ?? String(transaction?.subscription_id));
  const customData = transaction?.custom_data ?? subscription?.custom_data ?? Object(body.custom_data);
  const [first] = Array.isArray(body.items) ? body.items : [];
  return texts({
    transaction: transaction?.id,
    subscription: subscription?.id,
    customer: transaction?.customer_id ?? subscription?.customer_id ?? (named?.startsWith("ctm_") ? named : undefined),
    user: customData.user_id,
    price: Object(first).price_id,
  });
}

async function bodyOf(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  if (c.req.method === "GET") return {};
  try {
    const value: unknown = JSON.parse(await c.req.text());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** What the stand-in tells of. */
export const EVENT_TYPES = [
  "address.created",
  "address.updated",
  "adjustment.created",
  "adjustment.updated",
  "customer.created",
  "customer.updated",
  "payment_method.saved",
  "price.created",
  "price.updated",
  "product.created",
  "product.updated",
  "subscription.activated",
  "subscription.canceled",
  "subscription.created",
  "subscription.past_due",
  "subscription.paused",
  "subscription.resumed",
  "subscription.trialing",
  "subscription.updated",
  "transaction.canceled",
  "transaction.completed",
  "transaction.created",
  "transaction.paid",
  "transaction.past_due",
  "transaction.payment_failed",
  "transaction.ready",
  "transaction.updated",
] as const;
