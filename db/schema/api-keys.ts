import { sql } from "drizzle-orm";
import { date, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ApiKeyId, UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

const ownerId = () =>
  text()
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** A key of the public API. Only the hash of its secret is stored. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: text().$type<ApiKeyId>().primaryKey(),
    userId: ownerId(),
    name: text().notNull(),
    scopes: text().array().notNull(),
    secretHash: text().notNull(),
    /** The first characters of the secret, so that its owner recognizes it. */
    secretStart: text().notNull(),
    /** Credits that it may spend in a UTC day; null: no limit of its own. */
    dailyCredits: integer(),
    createdAt: at().notNull(),
    /** When its secret was last replaced. */
    rotatedAt: at(),
    /** Null: it doesn't expire. */
    expiresAt: at(),
    revokedAt: at(),
    lastUsedAt: at(),
  },
  (table) => [uniqueIndex("api_keys_secret").on(table.secretHash), index("api_keys_user").on(table.userId)],
);

/** Credits that were reserved with a key in a UTC day. What is returned later still counts. */
export const apiKeySpending = pgTable(
  "api_key_spending",
  {
    keyId: text()
      .$type<ApiKeyId>()
      .notNull()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
    day: date().notNull(),
    credits: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
);

/** Uses of a key, counted by hour, call, status and network. */
export const apiKeyUses = pgTable(
  "api_key_uses",
  {
    keyId: text()
      .$type<ApiKeyId>()
      .notNull()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
    /** The start of the hour, in UTC. */
    hour: at().notNull(),
    /** Method and path pattern: `GET /api/v1/pins`. */
    call: text().notNull(),
    status: integer().notNull(),
    /** The network, not the whole address. */
    network: text().notNull(),
    calls: integer().notNull(),
    lastAt: at().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.hour, table.call, table.status, table.network] }),
    index("api_key_uses_age").on(table.hour),
  ],
);

/** Writes by their `Idempotency-Key`, so that a repeated request gets the first answer. */
export const apiWrites = pgTable(
  "api_writes",
  {
    userId: ownerId(),
    key: text().notNull(),
    /** Digest of the request. The same key with other content is rejected. */
    digest: text().notNull(),
    /** Proves that this process runs the call; expires with `leasedUntil`. */
    lease: text().notNull(),
    leasedUntil: at().notNull(),
    /** Null while the call runs. */
    status: integer(),
    /** The answer, encrypted, because it may contain a secret. */
    bodySealed: text(),
    createdAt: at().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] }), index("api_writes_created").on(table.createdAt)],
);
