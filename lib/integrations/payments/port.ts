/** A failed call to the payment provider. `text` is safe to show; `detail` is for the log. */
export interface PaymentProblem {
  kind:
    | "not_found"
    | "refused" // permanent for this request; `code` says why
    | "rate_limited" // wait `retryAfterSeconds`
    | "unavailable"; // 5xx, network, timeout or unreadable answer: the outcome of a write is unknown
  text: string;
  code?: string;
  detail?: string;
  retryAfterSeconds?: number;
}

export type PaymentResult<T> = { kind: "ok"; value: T } | { kind: "problem"; problem: PaymentProblem };

export interface Period {
  startsAt: Date;
  endsAt: Date;
}

/** What the checkout was opened with. It comes from the browser, so it is only a hint to check against our tables. */
export interface CustomData {
  userId: string | null;
  purchaseRef: string | null;
}

type TransactionStatus = "draft" | "ready" | "billed" | "paid" | "completed" | "canceled" | "past_due";

/** A payment. `totalMinor` is in the smallest unit of `currency`, taxes included. */
export interface PaymentTransaction {
  id: string;
  status: TransactionStatus;
  origin: string;
  customerId: string | null;
  subscriptionId: string | null;
  customData: CustomData;
  items: { priceId: string; quantity: number }[];
  billingPeriod: Period | null;
  currency: string;
  totalMinor: number;
  /** Display text such as 'Visa ending in 4242' or 'PayPal'; null before a payment was tried. */
  method: string | null;
  /** The provider's code, such as `declined`, if the newest attempt failed. */
  failure: string | null;
  invoiceNumber: string | null;
  createdAt: Date;
  billedAt: Date | null;
  updatedAt: Date;
}

type SubscriptionStatus = "active" | "trialing" | "past_due" | "paused" | "canceled";

export interface PaymentSubscription {
  id: string;
  status: SubscriptionStatus;
  customerId: string;
  customData: CustomData;
  priceId: string | null;
  currentPeriod: Period | null;
  nextBilledAt: Date | null;
  scheduledChange: { action: "cancel" | "pause" | "resume"; effectiveAt: Date } | null;
  startedAt: Date | null;
  pausedAt: Date | null;
  canceledAt: Date | null;
  updatedAt: Date;
}

export interface PaymentAdjustment {
  id: string;
  action: string;
  status: string;
  transactionId: string;
  currency: string;
  totalMinor: number;
  createdAt: Date;
  updatedAt: Date;
}

export type PaymentFact =
  | { kind: "transaction"; transaction: PaymentTransaction }
  | { kind: "subscription"; subscription: PaymentSubscription }
  | { kind: "adjustment"; adjustment: PaymentAdjustment };

/** An event of the provider, delivered by webhook or read from its list. `fact` is null when we do not act on it. */
export interface PaymentEvent {
  eventId: string;
  eventType: string;
  occurredAt: Date;
  fact: PaymentFact | null;
  /** Why the data could not be read, for the operator; otherwise null. */
  unreadable: string | null;
}

/** What a plan change costs. Amounts are in the smallest unit of `currency`. */
export interface ChangePreview {
  currency: string;
  dueNowMinor: number;
  nextTotalMinor: number;
  nextBilledAt: Date | null;
}

export interface CatalogProduct {
  id: string;
  /** Our key from its custom data; null for a product we did not create. */
  key: string | null;
  name: string;
  isActive: boolean;
}

interface NewCatalogProduct {
  key: string;
  name: string;
  description: string;
}

export interface CatalogPrice {
  id: string;
  productId: string;
  key: string | null;
  currency: string;
  amountMinor: number;
  /** `month`, another interval such as `3 month`, or null for a one-time price. */
  interval: string | null;
  isActive: boolean;
}

/** A price to create, in US cents. */
interface NewCatalogPrice {
  key: string;
  productId: string;
  name: string;
  description: string;
  amountMinor: number;
  interval: "month" | null;
  maxQuantity: number;
}

/** Methods never throw for an answer or a broken connection and never retry a write. A malformed id is `not_found`. */
export interface PaymentsPort {
  /** Any `h1` with any of our secrets over this exact body, and `ts` close to `now`. Constant time; never throws. */
  isAuthentic(input: { body: Uint8Array; signature: string | null; now: Date }): boolean;
  /** Reads the event in a verified body; null when there is none. Unknown fields and values are ignored. */
  readEvent(body: Uint8Array): PaymentEvent | null;
  getTransaction(id: string): Promise<PaymentResult<PaymentTransaction>>;
  getSubscription(id: string): Promise<PaymentResult<PaymentSubscription>>;
  /** URL of a payment's invoice (PDF), valid for an hour. */
  invoiceUrl(transactionId: string): Promise<PaymentResult<string>>;
  /** Cancels at the end of the period or immediately. `ok` if that is already scheduled or done. */
  cancelSubscription(id: string, when: "period_end" | "now"): Promise<PaymentResult<PaymentSubscription>>;
  /** Removes a scheduled cancellation. `ok` if there is none, `refused` after the subscription ended. */
  keepSubscription(id: string): Promise<PaymentResult<PaymentSubscription>>;
  /** Resumes a paused subscription: a new period starts and is charged immediately. `ok` if it is not paused. */
  restartSubscription(id: string): Promise<PaymentResult<PaymentSubscription>>;
  /** Changes the price. `prorate`: charged now for the rest of the period; `free`: from the next renewal on. */
  changePrice(id: string, priceId: string, billing: "prorate" | "free"): Promise<PaymentResult<PaymentSubscription>>;
  previewPrice(id: string, priceId: string, billing: "prorate" | "free"): Promise<PaymentResult<ChangePreview>>;
  /** URL of the provider's page for changing the payment method. Do not store it. */
  portalUrl(customerId: string, subscriptionId: string): Promise<PaymentResult<string>>;
  /** URL of a checkout that changes the payment method of this subscription only. */
  paymentMethodUrl(subscriptionId: string): Promise<PaymentResult<string>>;
  /** Up to 200 events after the given one, oldest first; null starts at the oldest one available. */
  listEvents(afterEventId: string | null): Promise<PaymentResult<PaymentEvent[]>>;
  /** All products and prices, including archived ones. */
  listProducts(): Promise<PaymentResult<CatalogProduct[]>>;
  listPrices(): Promise<PaymentResult<CatalogPrice[]>>;
  createProduct(product: NewCatalogProduct): Promise<PaymentResult<CatalogProduct>>;
  createPrice(price: NewCatalogPrice): Promise<PaymentResult<CatalogPrice>>;
}
