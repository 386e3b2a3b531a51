import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

const plan = () => text({ enum: ["free", "basic", "growth", "pro"] });

/** What a user set out to buy, written down before the checkout opens; its id travels with the payment (DESIGN §6). */
export const purchases = pgTable(
  "purchases",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    kind: text({ enum: ["plan", "pack"] }).notNull(),
    /** The plan that is bought, or the plan at whose price the pack is. */
    plan: plan().notNull(),
    /** Credits of the pack; null for a plan. */
    credits: integer(),
    priceId: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [index("purchases_user").on(table.userId, table.createdAt)],
);

/**
 * What the payment provider told, each event once. `fact` is what we read out of it, without names, addresses and
 * numbers of cards; null when the event is none that we act on.
 */
export const paymentEvents = pgTable(
  "payment_events",
  {
    eventId: text().primaryKey(),
    eventType: text().notNull(),
    occurredAt: at().notNull(),
    receivedAt: at().notNull(),
    /** By which way it came: sent to us, or collected because it had not been. */
    source: text({ enum: ["webhook", "collected"] }).notNull(),
    /** Up to here the provider's own list of events was read then. */
    listedAt: at(),
    fact: jsonb(),
    appliedAt: at(),
    /** Why it could not be applied the last time. */
    problem: text(),
    /** Past it the sweep sends another durable event for it. */
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
  },
  (table) => [
    index("payment_events_open").on(table.wakeAt).where(sql`${table.appliedAt} is null`),
    index("payment_events_time").on(table.occurredAt),
  ],
);

/** Whose a customer of the provider is. The first payment of a customer decides. */
export const paymentCustomers = pgTable(
  "payment_customers",
  {
    customerId: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    createdAt: at().notNull(),
  },
  (table) => [index("payment_customers_user").on(table.userId)],
);

/** A subscription as the provider last described it; `asOf` orders the descriptions. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: text().primaryKey(),
    /** Null until an event tells whose it is. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id),
    customerId: text(),
    priceId: text(),
    /** The plan of its price: what the next renewal charges. Null for a price that is not in our table. */
    plan: plan(),
    status: text({ enum: ["active", "trialing", "past_due", "paused", "canceled"] }).notNull(),
    periodStartsAt: at(),
    periodEndsAt: at(),
    nextBilledAt: at(),
    scheduledAction: text({ enum: ["cancel", "pause", "resume"] }),
    scheduledAt: at(),
    startedAt: at(),
    pausedAt: at(),
    canceledAt: at(),
    asOf: at().notNull(),
    /** Why it gives no plan although it was paid; reported to support. */
    heldReason: text(),
    /** Until then whoever changes its plan keeps others out. */
    changingUntil: at(),
    /** A smaller plan that waited for the renewal, and the paid one that it was taken back to for an upgrade. */
    keptTo: plan(),
    keptFrom: plan(),
    keptAt: at(),
  },
  (table) => [index("subscriptions_user").on(table.userId), index("subscriptions_due").on(table.periodEndsAt)],
);

/** A payment: one transaction of the provider, as last described. Amounts are in the currency's smallest unit. */
export const payments = pgTable(
  "payments",
  {
    /** The provider's id of the transaction. */
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .references(() => users.id),
    purchaseId: text().references(() => purchases.id),
    subscriptionId: text(),
    customerId: text(),
    status: text({ enum: ["draft", "ready", "billed", "paid", "completed", "canceled", "past_due"] }).notNull(),
    origin: text().notNull(),
    kind: text({ enum: ["plan", "pack", "other"] }).notNull(),
    /** What was paid for, as told: a price may join our table later. Null for payments from before this was kept. */
    items: jsonb().$type<{ priceId: string; quantity: number }[]>(),
    plan: plan(),
    /** Credits that it buys by our own table, all packs in it together; 0 for a plan. */
    credits: integer().notNull().default(0),
    periodStartsAt: at(),
    periodEndsAt: at(),
    currency: text().notNull(),
    totalMinor: bigint({ mode: "number" }).notNull(),
    /** For people: 'Visa ending in 4242', 'PayPal'. */
    method: text(),
    /** The provider's code of the last refusal: `declined`, `expired_card`. */
    failure: text(),
    invoiceNumber: text(),
    createdAt: at().notNull(),
    paidAt: at(),
    asOf: at().notNull(),
    /** When its credits, or its plan, were given, or support closed it. */
    grantedAt: at(),
    /** Why nothing was given although it was paid; reported to support. */
    heldReason: text(),
  },
  (table) => [
    index("payments_user").on(table.userId, table.createdAt),
    index("payments_subscription").on(table.subscriptionId),
  ],
);

/** A refund or a chargeback of a payment, as last described. */
export const paymentAdjustments = pgTable(
  "payment_adjustments",
  {
    id: text().primaryKey(),
    transactionId: text().notNull(),
    action: text().notNull(),
    status: text().notNull(),
    currency: text().notNull(),
    totalMinor: bigint({ mode: "number" }).notNull(),
    createdAt: at().notNull(),
    asOf: at().notNull(),
    /** When credits were taken back, or given back, for it; once. */
    appliedAt: at(),
    /** Credits that it took (negative: gave back). */
    credits: integer().notNull().default(0),
  },
  (table) => [index("payment_adjustments_transaction").on(table.transactionId)],
);

/** What support was told, each thing once. `cause`: an id of the provider and what is the matter with it. */
export const paymentReports = pgTable("payment_reports", {
  cause: text().primaryKey(),
  createdAt: at().notNull(),
});
