import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/**
 * The cached balance of a user, changed only together with ledger lines and only by guarded updates.
 * `allowance` belongs to `period`; purchased credits never expire; `held` is reserved for work in progress.
 */
export const creditBalances = pgTable(
  "credit_balances",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    /** Key of the allowance period: `2026-11` on the free plan, the billing period's start on paid ones. */
    period: text().notNull(),
    allowance: integer().notNull().default(0),
    purchased: integer().notNull().default(0),
    held: integer().notNull().default(0),
  },
  (table) => [
    check("credit_balances_allowance", sql`${table.allowance} >= 0`),
    check("credit_balances_purchased", sql`${table.purchased} >= 0`),
    check("credit_balances_held", sql`${table.held} >= 0`),
  ],
);

/** A movement of credits with a unique cause; a second one for the same cause does not exist (R-SRV-01). Append-only. */
export const creditTransfers = pgTable(
  "credit_transfers",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    cause: text().notNull(),
    kind: text({ enum: ["allowance", "expiry", "grant", "reserve", "spend", "release", "revoke"] }).notNull(),
    note: text().notNull().default(""),
    createdAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("credit_transfers_cause").on(table.cause),
    index("credit_transfers_user").on(table.userId, table.createdAt),
  ],
);

/** The two or more signed lines of a transfer; per transfer they sum to zero. Append-only. */
export const creditLines = pgTable(
  "credit_lines",
  {
    transferId: text()
      .notNull()
      .references(() => creditTransfers.id),
    /** `issued`, `spent` and `expired` are the house's side; the others are the user's. */
    account: text({ enum: ["issued", "allowance", "purchased", "held", "spent", "expired"] }).notNull(),
    credits: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.transferId, table.account] })],
);

/** Credits held for one piece of work, and from which bucket they came. Deleted by nobody; settled once. */
export const creditReservations = pgTable(
  "credit_reservations",
  {
    /** What the credits are held for: the id of a generation task. */
    reference: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    fromAllowance: integer().notNull(),
    fromPurchased: integer().notNull(),
    createdAt: at().notNull(),
    settledAt: at(),
    outcome: text({ enum: ["spend", "release"] }),
  },
  (table) => [index("credit_reservations_open").on(table.createdAt).where(sql`${table.settledAt} is null`)],
);
