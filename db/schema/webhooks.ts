import { sql } from "drizzle-orm";
import { bigserial, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** URLs of users that get their events (decision 0046). */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    url: text().notNull(),
    description: text().notNull().default(""),
    /** Chosen types of `lib/features/webhooks/constants.ts`. */
    events: text().array().notNull(),
    sealedSecret: text().notNull(),
    /** Also signs until then, after a rotation. */
    previousSealedSecret: text(),
    previousSecretEndsAt: at(),
    createdAt: at().notNull(),
    /** The API requests that created it, and that last replaced its secret; repeated, they return it. */
    writeKey: text(),
    secretWriteKey: text(),
    disabledAt: at(),
    /** `gone`: it answered 410. `failing`: nothing was delivered for days. */
    disabledFor: text({ enum: ["user", "gone", "failing"] }),
    /** When the first of the failures since the last delivered message happened. */
    failingSince: at(),
  },
  (table) => [index("webhook_endpoints_user").on(table.userId)],
);

/** No foreign key to the user: its check would wait for their row while holding a lock on a pin or an account. */
export const webhookMessages = pgTable(
  "webhook_messages",
  {
    id: text().primaryKey(),
    userId: text().$type<UserId>().notNull(),
    type: text().notNull(),
    /** Type, subject, and occasion, such as `pin.published:pin_…:3`. */
    cause: text().notNull(),
    /** Exactly what is sent. */
    body: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("webhook_messages_cause").on(table.userId, table.cause),
    index("webhook_messages_age").on(table.createdAt),
  ],
);

/** A message on its way to one endpoint. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: text().primaryKey(),
    /** The order in which events of a subject happened, since they are written under its lock. */
    number: bigserial({ mode: "number" }).notNull(),
    endpointId: text()
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    messageId: text()
      .notNull()
      .references(() => webhookMessages.id, { onDelete: "cascade" }),
    userId: text().$type<UserId>().notNull(),
    /** Such as a pin's id. Messages of one subject are sent in order. */
    subject: text().notNull(),
    /** `canceled`: the endpoint was turned off before it was delivered. */
    state: text({ enum: ["pending", "delivered", "failed", "canceled"] })
      .notNull()
      .default("pending"),
    createdAt: at().notNull(),
    dueAt: at().notNull(),
    /** Until then one worker has the lease to send it. */
    claimedUntil: at(),
    /** Attempts begun, as numbered in `webhook_attempts`. */
    attempts: integer().notNull().default(0),
    /** Failed attempts of this round; a replay begins a new one. */
    failures: integer().notNull().default(0),
    /** A replayed message neither waits for others of its subject nor holds them up. */
    replayedAt: at(),
    finishedAt: at(),
  },
  (table) => [
    uniqueIndex("webhook_deliveries_message").on(table.messageId, table.endpointId),
    uniqueIndex("webhook_deliveries_number").on(table.endpointId, table.number),
    index("webhook_deliveries_due").on(table.dueAt).where(sql`${table.state} = 'pending'`),
    index("webhook_deliveries_pending").on(table.endpointId, table.dueAt).where(sql`${table.state} = 'pending'`),
    index("webhook_deliveries_subject").on(table.subject, table.endpointId).where(sql`${table.state} = 'pending'`),
    index("webhook_deliveries_user").on(table.userId),
  ],
);

/** One request and its answer. Without `answeredAt`, it is under way or was interrupted. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    deliveryId: text()
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: "cascade" }),
    number: integer().notNull(),
    /** The endpoint's then. Null for attempts of versions that didn't keep it. */
    url: text(),
    sentAt: at().notNull(),
    signature: text().notNull(),
    answeredAt: at(),
    durationMs: integer(),
    status: integer(),
    /** The beginning of the answer. */
    excerpt: text(),
    /** Why it failed, for its user; null when it was delivered. */
    problem: text(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
