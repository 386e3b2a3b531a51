import { randomBytes } from "node:crypto";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { OFFERS, type PriceKey } from "#lib/features/billing/plans.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { PADDLE_TEST_SECRET } from "./context.ts";
import {
  adjustmentWire,
  detailsWire,
  eventBody,
  priceWire,
  signed,
  subscriptionWire,
  transactionWire,
} from "./payments.ts";

// Webhook contents about our buyers.

const prices = sandboxPrices();
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** An id in the provider's format. */
export const providerId = (prefix: "txn" | "sub" | "ctm" | "adj" | "evt"): string =>
  `${prefix}_01${[...randomBytes(24)].map((byte) => ALPHABET[byte % 32]).join("")}`;

/** The price id of an offer; an unknown key gives an unknown price. */
export const priceOf = (key: string): string => prices[key] ?? `pri_${"0".repeat(26)}`;

const amountOf = (key: string, quantity: number): number =>
  Math.round(((OFFERS.get(key as PriceKey)?.amountTenthsOfCent ?? 29_000) * quantity) / 10);

/** One buyer's records at the provider. */
export interface Buyer {
  ctx: FullCtx;
  userId: UserId;
  email: string;
  customerId: string;
  /** The custom data of the checkouts. */
  hints: Record<string, unknown>;
}

/** Type and data of an event, and when it occurred. */
export interface ProviderEvent {
  type: string;
  data: Record<string, unknown>;
  at: Date;
}

interface Sale {
  id?: string;
  items: [key: string, quantity: number][];
  at: Date;
  status?: string;
  origin?: string;
  subscriptionId?: string | null;
  period?: { from: Date; to: Date } | null;
  hints?: Record<string, unknown> | null;
  totalMinor?: number;
  customerId?: string;
}

/** A transaction event; paid a few seconds after its creation. */
export const saleOf = (buyer: Buyer, sale: Sale): ProviderEvent => {
  const { items, at, period = null, status = "completed" } = sale;
  const total = sale.totalMinor ?? items.reduce((sum, [key, quantity]) => sum + amountOf(key, quantity), 0);
  const created = addMs(at, -20 * SECOND_MS);
  return {
    type: `transaction.${status}`,
    at,
    data: transactionWire({
      id: sale.id ?? providerId("txn"),
      status,
      origin: sale.origin ?? "web",
      customer_id: sale.customerId ?? buyer.customerId,
      subscription_id: sale.subscriptionId ?? null,
      custom_data: sale.hints === undefined ? buyer.hints : sale.hints,
      billing_period: period && { starts_at: period.from.toISOString(), ends_at: period.to.toISOString() },
      items: items.map(([key, quantity]) => ({ price: priceWire({ id: priceOf(key) }), quantity, proration: null })),
      details: detailsWire(String(total)),
      created_at: created.toISOString(),
      billed_at: addMs(at, -2 * SECOND_MS).toISOString(),
      updated_at: at.toISOString(),
    }),
  };
};

interface Term {
  id: string;
  key: string;
  at: Date;
  from: Date;
  to: Date;
  status?: string;
  startedAt?: Date;
  scheduled?: { action: "cancel" | "pause"; at: Date } | null;
  endedAt?: Date;
  hints?: Record<string, unknown> | null;
}

/** A subscription event. */
export const termOf = (buyer: Buyer, term: Term): ProviderEvent => {
  const { status = "active", at, from, to } = term;
  const rests = status === "paused" || status === "canceled";
  const ended = (term.endedAt ?? at).toISOString();
  return {
    type: `subscription.${status === "active" ? "updated" : status}`,
    at,
    data: subscriptionWire({
      id: term.id,
      status,
      customer_id: buyer.customerId,
      custom_data: term.hints === undefined ? buyer.hints : term.hints,
      started_at: (term.startedAt ?? from).toISOString(),
      current_billing_period: rests ? null : { starts_at: from.toISOString(), ends_at: to.toISOString() },
      next_billed_at: rests ? null : to.toISOString(),
      paused_at: status === "paused" ? ended : null,
      canceled_at: status === "canceled" ? ended : null,
      scheduled_change: term.scheduled
        ? { action: term.scheduled.action, effective_at: term.scheduled.at.toISOString(), resume_at: null }
        : null,
      items: [{ price: priceWire({ id: priceOf(term.key) }), quantity: 1, status: "active" }],
      updated_at: at.toISOString(),
    }),
  };
};

interface Return {
  id?: string;
  of: ProviderEvent;
  at: Date;
  action?: string;
  status?: string;
  totalMinor?: number;
}

/** A refund or chargeback event, of the whole transaction by default. */
export const returnOf = ({ id, of, at, action = "refund", status = "approved", totalMinor }: Return): ProviderEvent => {
  const { total } = Object(Object(Object(of.data).details).totals);
  return {
    type: status === "pending_approval" ? "adjustment.created" : "adjustment.updated",
    at,
    data: adjustmentWire({
      id: id ?? providerId("adj"),
      action,
      status,
      transaction_id: of.data.id,
      totals: {
        subtotal: "0",
        tax: "0",
        fee: "0",
        earnings: "0",
        currency_code: "USD",
        total: String(totalMinor ?? total),
      },
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    }),
  };
};

/** A webhook's body with its current signature. */
export const webhookOf = (providerEvent: ProviderEvent, over: Record<string, unknown> = {}) => {
  const body = eventBody(providerEvent.type, providerEvent.data, {
    event_id: providerId("evt"),
    occurred_at: providerEvent.at.toISOString(),
    ...over,
  });
  return { body, signature: signed(body, PADDLE_TEST_SECRET) };
};

/** A month of a plan from the given time on. */
export const monthFrom = (from: Date) => ({ from, to: addMs(from, 30 * DAY_MS) });

/** What an upgrade at that time adds of this difference between two plans. */
export const upgradeShare = ({ period }: { period: { from: Date; to: Date } }, at: Date, credits: number): number =>
  Math.ceil((credits * (period.to.getTime() - at.getTime())) / (period.to.getTime() - period.from.getTime()));

/** A subscription's first month: its payment and subscription events. */
export const firstMonth = (buyer: Buyer, key: string, from: Date) => {
  const period = monthFrom(from);
  const id = providerId("sub");
  const paid = saleOf(buyer, { items: [[key, 1]], at: addMs(from, 3 * SECOND_MS), subscriptionId: id, period });
  const term = termOf(buyer, { id, key, at: addMs(from, SECOND_MS), ...period });
  return { id, from, period, paid, term };
};

/** The payment for the month after a period. */
export const renewalOf = (
  buyer: Buyer,
  first: { id: string; period: { to: Date } },
  key: string,
  hints?: null,
): ProviderEvent => {
  const period = monthFrom(first.period.to);
  const at = addMs(period.from, SECOND_MS);
  const more = { at, origin: "subscription_recurring", subscriptionId: first.id, period };
  return saleOf(buyer, { items: [[key, 1]], ...more, ...(hints === null && { hints }) });
};
