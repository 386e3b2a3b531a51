import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

const plan = () => text({ enum: ["free", "basic", "growth", "pro"] });

/** What a user intends to buy, recorded before the checkout opens. Its id travels with the payment. */
export const purchases = pgTable(
  "purchases",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    kind: text({ enum: ["plan", "pack"] }).notNull(),
    /** The plan to buy, or the plan whose pack price applies. */
    plan: plan().notNull(),
    /** Credits of the pack; null for a plan. */
    credits: integer(),
    priceId: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [index("purchases_user").on(table.userId, table.createdAt)],
);

/** Each once. `fact` holds no names, addresses or card numbers; null when we do not act on the event. */
export const paymentEvents = pgTable(
  "payment_events",
  {
    eventId: text().primaryKey(),
    eventType: text().notNull(),
    occurredAt: at().notNull(),
    receivedAt: at().notNull(),
    /** `collected`: read from the provider's list because no webhook delivered it. */
    source: text({ enum: ["webhook", "collected"] }).notNull(),
    /** Set on the one event up to which the provider's list has been read. */
    listedAt: at(),
    fact: jsonb(),
    appliedAt: at(),
    problem: text(),
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
  },
  (table) => [
    index("payment_events_open").on(table.wakeAt).where(sql`${table.appliedAt} is null`),
    index("payment_events_time").on(table.occurredAt),
  ],
);

/** The user of each provider customer. The first payment of a customer decides. */
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

/** A subscription as the provider last described it. `asOf` is the time of that description. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: text().primaryKey(),
    /** Null until the owner is known. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id),
    customerId: text(),
    priceId: text(),
    /** The plan of its price, which the next renewal charges. Null for a price that is not in our table. */
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
    /** Why it grants no plan although it was paid for; reported to support. */
    heldReason: text(),
    changingUntil: at(),
    /** A downgrade that an upgrade removed: to which plan, and from which paid one. */
    keptTo: plan(),
    keptFrom: plan(),
    keptAt: at(),
  },
  (table) => [index("subscriptions_user").on(table.userId), index("subscriptions_due").on(table.periodEndsAt)],
);

/** A transaction of the provider, as last described. Amounts are in the currency's smallest unit. */
export const payments = pgTable(
  "payments",
  {
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
    /** What was paid for, kept because a price may be added to our table later. Null in old rows. */
    items: jsonb().$type<{ priceId: string; quantity: number }[]>(),
    plan: plan(),
    /** Credits of all packs in it by our price table; 0 for a plan. */
    credits: integer().notNull().default(0),
    periodStartsAt: at(),
    periodEndsAt: at(),
    currency: text().notNull(),
    totalMinor: bigint({ mode: "number" }).notNull(),
    method: text(),
    failure: text(),
    invoiceNumber: text(),
    createdAt: at().notNull(),
    paidAt: at(),
    asOf: at().notNull(),
    /** When its credits or plan were granted, or support closed it. */
    grantedAt: at(),
    heldReason: text(),
  },
  (table) => [
    index("payments_user").on(table.userId, table.createdAt),
    index("payments_subscription").on(table.subscriptionId),
  ],
);

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
    appliedAt: at(),
    /** Credits it took; negative when it restored credits. */
    credits: integer().notNull().default(0),
  },
  (table) => [index("payment_adjustments_transaction").on(table.transactionId)],
);

/** What was reported to support, each once. `cause`: a provider id and the reason. */
export const paymentReports = pgTable("payment_reports", {
  cause: text().primaryKey(),
  createdAt: at().notNull(),
});
