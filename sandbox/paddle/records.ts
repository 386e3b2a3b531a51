import type {
  Address,
  Adjustment,
  CardDetails,
  Customer,
  Period,
  Price,
  Product,
  Subscription,
  Transaction,
} from "./model.ts";

/** A card that was used, and what it will do when it is charged again. Its number is not kept. */
export interface StoredCard {
  id: string;
  savedAt: string;
  details: CardDetails;
  renewals: "succeed" | "decline";
}

/** What Paddle knows of a subscription and shows nobody. */
export interface SubscriptionSecrets {
  /** Of the subscription. */
  id: string;
  card: StoredCard | null;
  /** Amounts of changes that were put off until the next renewal. */
  postponed: PostponedLine[];
  dunning: { transactionId: string; retriesDone: number; nextRetryAt: string } | null;
}

/** One side of a change of items: what is charged, or given back when `sign` is -1. */
export interface PostponedLine {
  priceId: string;
  quantity: number;
  /** Days charged and days of the period. */
  share: { days: number; of: number };
  period: Period;
  sign: 1 | -1;
}

/** A payment that waits for the buyer's bank. */
export interface Challenge {
  id: string;
  transactionId: string;
  subscriptionId: string | null;
  card: StoredCard;
  isOver: boolean;
}

/** A link to the customer portal. */
export interface PortalSession {
  /** `cpls_…` */
  id: string;
  token: string;
  customerId: string;
  subscriptionIds: string[];
  createdAt: string;
  expiresAt: string;
}

/** A customer's credit in one currency. */
export interface CreditBalance {
  /** Customer and currency. */
  id: string;
  customerId: string;
  currency: string;
  /** In the lowest unit. */
  amount: number;
}

/** Something that happened, as the event list shows it. */
export interface PaddleEvent {
  event_id: string;
  event_type: string;
  occurred_at: string;
  data: unknown;
}

/** One event on its way to one destination. */
export interface Notification {
  id: string;
  eventId: string;
  status: "not_attempted" | "needs_retry" | "delivered" | "failed";
  origin: "event" | "replay";
  createdAt: string;
  /** By the stand-in's clock; null when there is nothing more to try. */
  nextAttemptAt: string | null;
  attempts: Attempt[];
}

export interface Attempt {
  at: string;
  /** 0 when there was no answer. */
  status: number;
  tookMs: number;
  problem: string | null;
}

/** Everything that is kept, by kind. */
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
  portalSessions: PortalSession;
  balances: CreditBalance;
  notifications: Notification;
}

export type Kind = keyof Records;

/** One line of the journal: entities as they are now, and the events that say so. */
export interface Change {
  put: { [K in Kind]?: Records[K][] };
  events: PaddleEvent[];
}
