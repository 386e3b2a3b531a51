import { createHmac } from "node:crypto";

// Bodies in the payment provider's format with made-up data.

export const WIRE_IDS = {
  transaction: "txn_01hv8wptq8987qeep44cyrewp9",
  subscription: "sub_01hv8x29kz0t586xy6zn1a62ny",
  customer: "ctm_01hv6y1jedq4p1n0yqn5ba3ky4",
  adjustment: "adj_01hvgf2s84dr6reszzg29zbvcm",
  price: "pri_01gsz8x8sawmvhz1pv30nge1ke",
  product: "pro_01gsz4t5hdjse780zja8vvr7jg",
  event: "evt_01hv8x2acma2gz7he8kg2s0hna",
} as const;

type Fields = Record<string, unknown>;

/** A price with its product, 29 dollars a month by default. */
export const priceWire = (over: Fields = {}): Fields => ({
  id: WIRE_IDS.price,
  product_id: WIRE_IDS.product,
  name: "Basic plan",
  description: "A month of the basic plan",
  type: "standard",
  status: "active",
  tax_mode: "account_setting",
  quantity: { minimum: 1, maximum: 1 },
  unit_price: { amount: "2900", currency_code: "USD" },
  unit_price_overrides: [],
  billing_cycle: { interval: "month", frequency: 1 },
  trial_period: null,
  custom_data: { key: "plan:basic" },
  import_meta: null,
  created_at: "2026-10-01T09:00:00.123456Z",
  updated_at: "2026-10-01T09:00:00.123456Z",
  ...over,
});

export const productWire = (over: Fields = {}): Fields => ({
  id: WIRE_IDS.product,
  name: "Basic plan",
  description: null,
  type: "standard",
  tax_category: "standard",
  image_url: null,
  custom_data: { key: "plan:basic" },
  status: "active",
  import_meta: null,
  created_at: "2026-10-01T09:00:00.1Z",
  updated_at: "2026-10-01T09:00:00.1Z",
  ...over,
});

const lineTotals = (total: string) => ({ subtotal: total, discount: "0", tax: "0", total });

const totalsWire = (total: string): Fields => ({
  ...lineTotals(total),
  credit: "0",
  credit_to_balance: "0",
  balance: "0",
  grand_total: total,
  fee: null,
  earnings: null,
  currency_code: "USD",
});

/** The totals of a transaction or preview. */
export const detailsWire = (total: string): Fields => ({
  tax_rates_used: [{ tax_rate: "0", totals: lineTotals(total) }],
  totals: totalsWire(total),
  adjusted_totals: { ...totalsWire(total) },
  payout_totals: null,
  adjusted_payout_totals: null,
  line_items: [
    {
      id: "txnitm_01hv8wt98jahpbm1t1tzr06z6n",
      price_id: WIRE_IDS.price,
      quantity: 1,
      proration: null,
      tax_rate: "0",
      unit_totals: lineTotals(total),
      totals: lineTotals(total),
      product: productWire(),
    },
  ],
});

/** A payment attempt. */
export const attemptWire = (over: Fields = {}): Fields => ({
  amount: "2900",
  status: "captured",
  created_at: "2026-11-01T10:18:33.579142Z",
  captured_at: "2026-11-01T10:18:47.635628Z",
  error_code: null,
  method_details: {
    type: "card",
    card: { type: "visa", last4: "4242", expiry_month: 1, expiry_year: 2030, cardholder_name: "Ada Example" },
  },
  payment_method_id: "paymtd_01hv8x1tpjfnttxddw73xnqx6s",
  payment_attempt_id: "937640dd-e3dc-40df-a16c-bb75aafd8f71",
  stored_payment_method_id: "281ff2ca-8550-42b9-bf39-15948e7de62d",
  ...over,
});

/** A paid first month of the basic plan. */
export const transactionWire = (over: Fields = {}): Fields => ({
  id: WIRE_IDS.transaction,
  status: "completed",
  origin: "web",
  customer_id: WIRE_IDS.customer,
  address_id: "add_01hv8gq3318ktkfengj2r75gfx",
  business_id: null,
  custom_data: { user_id: "usr_1", purchase_ref: "pur_1", plan_id: "basic" },
  currency_code: "USD",
  subscription_id: WIRE_IDS.subscription,
  invoice_id: "inv_01hv8x29nsh54c2pgt0hnq0zkx",
  invoice_number: "325-10566",
  collection_mode: "automatic",
  discount_id: null,
  billing_details: null,
  billing_period: { starts_at: "2026-11-01T10:18:47.635628Z", ends_at: "2026-12-01T10:18:47.635628Z" },
  items: [{ price: priceWire(), quantity: 1, proration: null }],
  details: detailsWire("2900"),
  payments: [attemptWire()],
  checkout: { url: null },
  created_at: "2026-11-01T10:12:33.2014Z",
  billed_at: "2026-11-01T10:18:48.294633Z",
  revised_at: null,
  updated_at: "2026-11-01T10:18:49.738971238Z",
  ...over,
});

/** An active subscription to the basic plan. */
export const subscriptionWire = (over: Fields = {}): Fields => ({
  id: WIRE_IDS.subscription,
  status: "active",
  customer_id: WIRE_IDS.customer,
  address_id: "add_01hv8gq3318ktkfengj2r75gfx",
  business_id: null,
  currency_code: "USD",
  started_at: "2026-11-01T10:18:47.635628Z",
  first_billed_at: "2026-11-01T10:18:47.635628Z",
  next_billed_at: "2026-12-01T10:18:47.635628Z",
  paused_at: null,
  canceled_at: null,
  discount: null,
  collection_mode: "automatic",
  billing_details: null,
  current_billing_period: { starts_at: "2026-11-01T10:18:47.635628Z", ends_at: "2026-12-01T10:18:47.635628Z" },
  billing_cycle: { interval: "month", frequency: 1 },
  scheduled_change: null,
  items: [
    {
      status: "active",
      quantity: 1,
      recurring: true,
      created_at: "2026-11-01T10:18:48.1Z",
      updated_at: "2026-11-01T10:18:48.1Z",
      previously_billed_at: "2026-11-01T10:18:47.6Z",
      next_billed_at: "2026-12-01T10:18:47.6Z",
      trial_dates: null,
      price: priceWire(),
      product: productWire(),
    },
  ],
  custom_data: { user_id: "usr_1", purchase_ref: "pur_1" },
  import_meta: null,
  created_at: "2026-11-01T10:18:48.1Z",
  updated_at: "2026-11-01T10:18:48.9Z",
  ...over,
});

const adjustedWire = { subtotal: "2900", tax: "0", total: "2900", fee: "0", earnings: "0", currency_code: "USD" };

/** A full refund waiting for approval. */
export const adjustmentWire = (over: Fields = {}): Fields => ({
  id: WIRE_IDS.adjustment,
  action: "refund",
  type: "full",
  transaction_id: WIRE_IDS.transaction,
  subscription_id: WIRE_IDS.subscription,
  customer_id: WIRE_IDS.customer,
  reason: "asked for",
  credit_applied_to_balance: null,
  currency_code: "USD",
  status: "pending_approval",
  items: [
    {
      id: "adjitm_01hvgf2s84dr6reszzg2gx70gj",
      item_id: "txnitm_01hv8wt98jahpbm1t1tzr06z6n",
      type: "full",
      amount: "2900",
      proration: null,
      totals: { subtotal: "2900", tax: "0", total: "2900" },
    },
  ],
  totals: adjustedWire,
  payout_totals: null,
  created_at: "2026-11-05T08:48:20.239695Z",
  updated_at: "2026-11-05T08:48:20.239695Z",
  ...over,
});

/** An event as the provider lists it. */
export const eventWire = (type: string, data: unknown, over: Fields = {}): Fields => ({
  event_id: WIRE_IDS.event,
  event_type: type,
  occurred_at: "2026-11-01T10:18:50.123456Z",
  data,
  ...over,
});

/** A webhook's body. */
export const eventBody = (type: string, data: unknown, over: Fields = {}): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify(eventWire(type, data, { notification_id: "ntf_01hv8x2b1m9pxb2njgb8q0h6mm", ...over })),
  );

/** The `h1` of a body, in hexadecimal. */
export const webhookHash = (body: Uint8Array, secret: string, timestamp: string | number): string =>
  createHmac("sha256", secret).update(`${timestamp}:`).update(body).digest("hex");

/** The `Paddle-Signature` header of a body. */
export const signed = (body: Uint8Array, secret: string, at: Date = new Date()): string => {
  const timestamp = Math.floor(at.getTime() / 1_000);
  return `ts=${timestamp};h1=${webhookHash(body, secret, timestamp)}`;
};
