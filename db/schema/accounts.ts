import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** A removed account keeps its row without tokens, so that a later connection finds its pins. */
export const pinterestAccounts = pgTable(
  "pinterest_accounts",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    pinterestUserId: text().notNull(),
    username: text().notNull(),
    accessTokenSealed: text(),
    refreshTokenSealed: text(),
    accessExpiresAt: at(),
    refreshExpiresAt: at(),
    scopes: text().notNull().default(""),
    status: text({ enum: ["connected", "reconnect_needed", "removed"] }).notNull(),
    /** Publishing is paused until then because of Pinterest's spam block. */
    pausedUntil: at(),
    /** Some of its scheduled pins have no `wakeAt`, because they wait for a reconnection. */
    holdsPins: boolean().notNull().default(false),
    /** The field that each column name of imported sheets was used for; null for columns that were left out. */
    importColumns: jsonb().notNull().default({}),
    /** The worker that is renewing the tokens, and until when (on the database's clock). */
    refreshLease: text(),
    refreshLeaseUntil: at(),
    /** The time zone in which its pins are planned; null: its user's. */
    timeZone: text(),
    connectedAt: at().notNull(),
    removedAt: at(),
  },
  (table) => [
    uniqueIndex("pinterest_accounts_owner").on(table.userId, table.pinterestUserId),
    index("pinterest_accounts_user").on(table.userId, table.connectedAt),
    index("pinterest_accounts_refresh").on(table.refreshExpiresAt).where(sql`${table.status} = 'connected'`),
    index("pinterest_accounts_resumed").on(table.id).where(sql`${table.holdsPins}`),
    index("pinterest_accounts_pinterest").on(table.pinterestUserId, table.id),
  ],
);

/** A pending OAuth consent: single use, bound to a browser, valid for ten minutes. */
export const oauthStates = pgTable(
  "oauth_states",
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Set when an existing account is being reconnected. */
    accountId: text().references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    expiresAt: at().notNull(),
    usedAt: at(),
  },
  (table) => [index("oauth_states_expiry").on(table.expiresAt)],
);
