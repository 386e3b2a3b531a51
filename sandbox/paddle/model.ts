import type { Adjustment } from "./adjustments.ts";
import type { StoredCard } from "./cards.ts";
import type { Price, Product } from "./catalog.ts";
import type { Address, Customer } from "./customers.ts";
import type { SubscriptionItem } from "./subscriptions.ts";
import type { LineItem } from "./totals.ts";
import type { Payment } from "./transactions.ts";

// Entities keep Paddle's field names, so that they are stored as they are sent. Amounts are strings in the smallest
// currency unit; times are ISO 8601 in UTC.

export type CustomData = Record<string, unknown> | null;

export interface Duration {
  interval: string;
  frequency: number;
}

export interface Period {
  starts_at: string;
  ends_at: string;
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

export interface Details {
  tax_rates_used: { tax_rate: string; totals: LineTotals }[];
  totals: Totals;
  adjusted_totals: Omit<Totals, "discount" | "credit" | "credit_to_balance" | "balance">;
  payout_totals: Totals | null;
  line_items: LineItem[];
}

interface Dated {
  id: string;
  created_at: string;
  updated_at: string;
}

export interface Transaction extends Dated {
  status: "draft" | "ready" | "paid" | "completed" | "canceled" | "past_due";
  customer_id: string | null;
  address_id: string | null;
  business_id: null;
  custom_data: CustomData;
  currency_code: string;
  origin: "web" | "subscription_recurring" | "subscription_update" | "subscription_payment_method_change";
  subscription_id: string | null;
  invoice_id: string | null;
  invoice_number: string | null;
  collection_mode: "automatic";
  discount_id: null;
  billing_details: null;
  billing_period: Period | null;
  items: { price: Price; quantity: number; proration: Proration | null }[];
  details: Details;
  payments: Payment[];
  checkout: { url: string | null };
  billed_at: string | null;
  revised_at: null;
}

export interface Subscription extends Dated {
  status: "active" | "past_due" | "paused" | "canceled";
  customer_id: string;
  address_id: string;
  business_id: null;
  currency_code: string;
  started_at: string;
  first_billed_at: string;
  next_billed_at: string | null;
  paused_at: string | null;
  canceled_at: string | null;
  discount: null;
  collection_mode: "automatic";
  billing_details: null;
  current_billing_period: Period | null;
  billing_cycle: Duration;
  scheduled_change: { action: "cancel"; effective_at: string; resume_at: null } | null;
  items: SubscriptionItem[];
  custom_data: CustomData;
  import_meta: null;
}

/** Data of a subscription that the API does not expose. */
export interface SubscriptionSecrets {
  id: string;
  card: StoredCard;
  dunning: { transactionId: string; retriesDone: number; nextRetryAt: string } | null;
}

export interface Challenge {
  id: string;
  transactionId: string;
  card: StoredCard;
  isOver: boolean;
}

/** An event, as the event list returns it. */
export interface PaddleEvent {
  event_id: string;
  event_type: string;
  occurred_at: string;
  data: unknown;
}

export interface Notification {
  id: string;
  eventId: string;
  status: "not_attempted" | "needs_retry" | "delivered" | "failed";
  origin: "event" | "replay";
  createdAt: string;
  /** By the stand-in's clock; null if there is nothing left to try. */
  nextAttemptAt: string | null;
  attempts: Attempt[];
}

export interface Attempt {
  at: string;
  /** 0 if there was no response. */
  status: number;
  tookMs: number;
  problem: string | null;
}

export interface Records {
  products: Product;
  prices: Price;
  customers: Customer;
  addresses: Address;
  transactions: Transaction;
  subscriptions: Subscription;
  adjustments: Adjustment;
  secrets: SubscriptionSecrets;
  challenges: Challenge;
  notifications: Notification;
}

export type Kind = keyof Records;
