import { sql } from "drizzle-orm";
import { bigserial, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
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
      .$type<UserId>()
      .primaryKey()
      .references(() => users.id),
    /** Key of the allowance period: `2026-11` on the free plan, `paid:` and the billing period's start on paid ones. */
    period: text().notNull(),
    /** What was given as the allowance of `period` so far; an upgrade raises it (DESIGN §6). */
    granted: integer().notNull().default(0),
    /** Start of the newest paid period whose allowance was ever issued: one that begins later was never opened before. */
    paidFrom: at(),
    /** When the mail about few credits went out; null again once credits were bought or given. */
    lowToldAt: at(),
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
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    cause: text().notNull(),
    kind: text({
      enum: ["allowance", "expiry", "grant", "reserve", "spend", "release", "purchase", "revoke", "restore"],
    }).notNull(),
    /** The sentence that its user reads, or an operator's reason; empty: the kind says enough. Names no person. */
    note: text().notNull().default(""),
    /** Of a revocation or restoration: the cause of the grant that it takes from or gives back to. */
    grantCause: text(),
    /** Of a revocation that found less than it was to take: how much that was. What is held may come back later. */
    demanded: integer(),
    createdAt: at().notNull(),
    /** Given out under the lock of the balance: a user's movements in the order in which they changed it. */
    number: bigserial({ mode: "number" }).notNull(),
  },
  (table) => [
    uniqueIndex("credit_transfers_cause").on(table.cause),
    index("credit_transfers_user").on(table.userId, table.number),
    index("credit_transfers_unmet").on(table.userId).where(sql`${table.demanded} is not null`),
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
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    fromAllowance: integer().notNull(),
    fromPurchased: integer().notNull(),
    /** The allowance period they were taken in; null for those from before this was kept. */
    period: text(),
    createdAt: at().notNull(),
    settledAt: at(),
    outcome: text({ enum: ["spend", "release"] }),
  },
  (table) => [index("credit_reservations_open").on(table.createdAt).where(sql`${table.settledAt} is null`)],
);
