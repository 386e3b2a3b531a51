/** A problem with a call to the payment provider. `text` is safe to show; `detail` is for the log. */
export interface PaymentProblem {
  kind:
    | "not_found"
    | "refused" // permanent for this request; `code` says why
    | "rate_limited" // wait `retryAfterSeconds`
    | "unavailable"; // 5xx, network, timeout, unreadable answer: for a write, the outcome is unknown
  text: string;
  /** The provider's code, e.g. `subscription_locked_pending_changes`. */
  code?: string;
  detail?: string;
  retryAfterSeconds?: number;
}

export type PaymentAnswer<T> = { kind: "ok"; value: T } | { kind: "problem"; problem: PaymentProblem };

export interface Period {
  startsAt: Date;
  endsAt: Date;
}

/** What the checkout was opened with. It comes from a browser: read as hints, checked against our own tables. */
export interface CustomData {
  userId: string | null;
  purchaseRef: string | null;
}

export type TransactionStatus = "draft" | "ready" | "billed" | "paid" | "completed" | "canceled" | "past_due";

/** A payment. `totalMinor` is in the smallest unit of `currency`, taxes included. */
export interface PaymentTransaction {
  id: string;
  status: TransactionStatus;
  /** `web`, `api`, `subscription_recurring`, `subscription_update` …; words we do not know stay as they are. */
  origin: string;
  customerId: string | null;
  subscriptionId: string | null;
  customData: CustomData;
  items: { priceId: string; quantity: number }[];
  billingPeriod: Period | null;
  currency: string;
  totalMinor: number;
  /** For people: 'Visa ending in 4242', 'PayPal'; null before a payment was tried. */
  method: string | null;
  /** The provider's code of the last refusal when the newest attempt failed: `declined`, `expired_card`. */
  failure: string | null;
  invoiceNumber: string | null;
  createdAt: Date;
  billedAt: Date | null;
  updatedAt: Date;
}

export type SubscriptionStatus = "active" | "trialing" | "past_due" | "paused" | "canceled";

export interface PaymentSubscription {
  id: string;
  status: SubscriptionStatus;
  customerId: string;
  customData: CustomData;
  /** Of its first item. */
  priceId: string | null;
  currentPeriod: Period | null;
  nextBilledAt: Date | null;
  scheduledChange: { action: "cancel" | "pause" | "resume"; effectiveAt: Date } | null;
  startedAt: Date | null;
  pausedAt: Date | null;
  canceledAt: Date | null;
  updatedAt: Date;
}

/** A refund or a chargeback. `action` and `status` are the provider's words. */
export interface PaymentAdjustment {
  id: string;
  /** `refund`, `chargeback`, `chargeback_reverse`, `credit` … */
  action: string;
  /** `pending_approval`, `approved`, `rejected`, `reversed`. */
  status: string;
  transactionId: string;
  currency: string;
  totalMinor: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What an event tells, as far as we act on it. */
export type PaymentFact =
  | { kind: "transaction"; transaction: PaymentTransaction }
  | { kind: "subscription"; subscription: PaymentSubscription }
  | { kind: "adjustment"; adjustment: PaymentAdjustment };

/** An event of the provider: sent to us, or read from its list. `fact` is null for what we do not act on. */
export interface PaymentEvent {
  eventId: string;
  eventType: string;
  occurredAt: Date;
  fact: PaymentFact | null;
  /** Why the data of a kind that we do act on could not be read: something for the operator to look at. */
  unreadable: string | null;
}

/** What a change of plan costs. Amounts are in the smallest unit of `currency`. */
export interface ChangePreview {
  currency: string;
  /** Due at once; 0 when nothing is. */
  dueNowMinor: number;
  /** What each renewal costs from then on. */
  nextTotalMinor: number;
  nextBilledAt: Date | null;
}

/** A product as the provider has it; for the setup. */
export interface CatalogueProduct {
  id: string;
  /** Our name of it, from its custom data; null for one that we did not make. */
  key: string | null;
  name: string;
  isActive: boolean;
}

/** A product to be made. */
export interface NewCatalogueProduct {
  key: string;
  name: string;
  description: string;
}

/** A product's price as the provider has it; for the setup. */
export interface CataloguePrice {
  id: string;
  productId: string;
  /** Our name of it, from its custom data; null for one that we did not make. */
  key: string | null;
  currency: string;
  amountMinor: number;
  /** `month`; null for a price that is paid once; in words for everything else: `3 month`. */
  interval: string | null;
  isActive: boolean;
}

/** A price to be made, in dollars. */
export interface NewCataloguePrice {
  key: string;
  productId: string;
  name: string;
  description: string;
  amountMinor: number;
  interval: "month" | null;
  /** How many of it one checkout may hold. */
  maxQuantity: number;
}

/**
 * The payment provider. No method throws for an answer or a broken connection, and none tries a write again by itself.
 * An id that is not of the provider's form is `not_found` without a call.
 */
export interface PaymentsPort {
  /**
   * Whether a webhook is the provider's: any `h1` of the header made with any of our secrets over these very bytes, and
   * `ts` within the tolerance around `now` (BRIEF §5). Constant time; never throws.
   */
  isGenuine(input: { body: Uint8Array; signature: string | null; now: Date }): boolean;
  /** Reads an event out of a genuine body; null for a body that is no event. Fields and words we do not know are ignored. */
  readEvent(body: Uint8Array): PaymentEvent | null;
  getTransaction(id: string): Promise<PaymentAnswer<PaymentTransaction>>;
  getSubscription(id: string): Promise<PaymentAnswer<PaymentSubscription>>;
  /** Address of a payment's invoice (PDF); it lives for an hour, so ask when it is wanted. */
  invoiceUrl(transactionId: string): Promise<PaymentAnswer<string>>;
  /** Ends a subscription, at the end of its period or at once. One that is to end already is `ok`. */
  cancelSubscription(id: string, when: "period_end" | "now"): Promise<PaymentAnswer<PaymentSubscription>>;
  /** Takes a scheduled end back; `ok` where nothing is scheduled, `refused` for one that has ended. */
  keepSubscription(id: string): Promise<PaymentAnswer<PaymentSubscription>>;
  /** Takes a paused one up again: a new period begins and is charged at once. `ok` for one that goes on already. */
  restartSubscription(id: string): Promise<PaymentAnswer<PaymentSubscription>>;
  /** Changes the price. `prorate`: charged at once for the rest of the period; `free`: from the next renewal on. */
  changePrice(id: string, priceId: string, billing: "prorate" | "free"): Promise<PaymentAnswer<PaymentSubscription>>;
  previewPrice(id: string, priceId: string, billing: "prorate" | "free"): Promise<PaymentAnswer<ChangePreview>>;
  /** Address of the provider's page where the way of paying is changed; never stored. */
  portalUrl(customerId: string, subscriptionId: string): Promise<PaymentAnswer<string>>;
  /** Address of a checkout that changes one subscription's way of paying, and shows nothing else of its customer. */
  paymentMethodUrl(subscriptionId: string): Promise<PaymentAnswer<string>>;
  /** Events after one, oldest first, at most 200; from the oldest kept when `afterEventId` is null. */
  listEvents(afterEventId: string | null): Promise<PaymentAnswer<PaymentEvent[]>>;
  /** All products and prices, the archived ones too. */
  listProducts(): Promise<PaymentAnswer<CatalogueProduct[]>>;
  listPrices(): Promise<PaymentAnswer<CataloguePrice[]>>;
  createProduct(product: NewCatalogueProduct): Promise<PaymentAnswer<CatalogueProduct>>;
  createPrice(price: NewCataloguePrice): Promise<PaymentAnswer<CataloguePrice>>;
}
