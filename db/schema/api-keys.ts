import { sql } from "drizzle-orm";
import { date, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ApiKeyId, OauthClientId, UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

const ownerId = () =>
  text()
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** An app that registered itself to ask users for access (RFC 7591). Its name is the app's own claim. */
export const oauthClients = pgTable(
  "oauth_clients",
  {
    id: text().$type<OauthClientId>().primaryKey(),
    name: text().notNull(),
    redirectUris: text().array().notNull(),
    createdAt: at().notNull(),
    lastUsedAt: at().notNull(),
  },
  (table) => [index("oauth_clients_used").on(table.lastUsedAt)],
);

/**
 * A key of the public API, or the access that a user gave to an app, whose secret is its access token. Only hashes of
 * secrets and tokens are stored.
 */
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
    /** Null: it doesn't expire. An app's access ends then, unless the app refreshes its tokens before. */
    expiresAt: at(),
    revokedAt: at(),
    lastUsedAt: at(),
    /** The app; null for a key that the user created. The columns below are null then too. */
    clientId: text()
      .$type<OauthClientId>()
      .references(() => oauthClients.id),
    /** Which of our servers accepts the token. */
    audience: text({ enum: ["api", "mcp"] }),
    /** When the access token expires. */
    accessExpiresAt: at(),
    refreshHash: text(),
    /** The refresh token before the last refresh, because the app may not have received the new one. */
    previousRefreshHash: text(),
  },
  (table) => [
    uniqueIndex("api_keys_secret").on(table.secretHash),
    index("api_keys_client").on(table.clientId),
    index("api_keys_user").on(table.userId),
  ],
);

/** A user's consent, which the app exchanges for tokens once, within a minute. */
export const oauthCodes = pgTable(
  "oauth_codes",
  {
    codeHash: text().primaryKey(),
    userId: ownerId(),
    clientId: text()
      .$type<OauthClientId>()
      .notNull()
      .references(() => oauthClients.id),
    redirectUri: text().notNull(),
    /** SHA-256 of the app's secret for this exchange (RFC 7636). */
    challenge: text().notNull(),
    audience: text({ enum: ["api", "mcp"] }).notNull(),
    scopes: text().array().notNull(),
    dailyCredits: integer(),
    expiresAt: at().notNull(),
    /** Set by the first attempt, successful or not. */
    usedAt: at(),
    /** The access that it was exchanged for, which ends if the code is used again. */
    keyId: text()
      .$type<ApiKeyId>()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
  },
  (table) => [
    index("oauth_codes_expires").on(table.expiresAt),
    index("oauth_codes_user").on(table.userId),
    index("oauth_codes_client").on(table.clientId),
    index("oauth_codes_key").on(table.keyId),
  ],
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
