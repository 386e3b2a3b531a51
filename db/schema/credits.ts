import { sql } from "drizzle-orm";
import { bigserial, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** Changed only together with ledger lines and by guarded updates; `held` is reserved for tasks. */
export const creditBalances = pgTable(
  "credit_balances",
  {
    userId: text()
      .$type<UserId>()
      .primaryKey()
      .references(() => users.id),
    /** `2026-11` on the free plan; `paid:` and the start of the billing period on paid plans. */
    period: text().notNull(),
    /** The allowance granted for `period` so far; an upgrade raises it. */
    granted: integer().notNull().default(0),
    /** Start of the newest paid period that was ever opened. */
    paidFrom: at(),
    /** When the low-credits email was sent; null again after new credits. */
    lowNotifiedAt: at(),
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

/** Which user's free allowance a Pinterest account counts for, and the last month in which it was granted. */
export const freeAllowanceClaims = pgTable(
  "free_allowance_claims",
  {
    /** A keyed hash of the Pinterest user ID. It stays when the account is removed. */
    accountHash: text().primaryKey(),
    /** Null once the user was erased. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id, { onDelete: "set null" }),
    /** Such as `2026-11`. */
    period: text().notNull(),
    claimedAt: at().notNull(),
  },
  (table) => [index("free_allowance_claims_user").on(table.userId, table.period)],
);

/** A movement of credits with a unique cause. Append-only. */
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
    /** The text shown to the user or an operator's reason; empty for the kind's default. Contains no personal data. */
    note: text().notNull().default(""),
    /** For a revocation or restoration: the cause of its grant. */
    grantCause: text(),
    /** For a revocation that could not take everything: the full amount. Released credits may cover the rest later. */
    demanded: integer(),
    createdAt: at().notNull(),
    /** Assigned under the balance lock, so it orders a user's movements. */
    number: bigserial({ mode: "number" }).notNull(),
  },
  (table) => [
    uniqueIndex("credit_transfers_cause").on(table.cause),
    index("credit_transfers_user").on(table.userId, table.number),
    index("credit_transfers_unmet").on(table.userId).where(sql`${table.demanded} is not null`),
  ],
);

/** The signed lines of a transfer; they sum to zero. Append-only. */
export const creditLines = pgTable(
  "credit_lines",
  {
    transferId: text()
      .notNull()
      .references(() => creditTransfers.id),
    /** `issued`, `spent` and `expired` are our side of the books; the others are the user's. */
    account: text({ enum: ["issued", "allowance", "purchased", "held", "spent", "expired"] }).notNull(),
    credits: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.transferId, table.account] })],
);

/** Credits reserved for one task, by bucket. Never deleted; settled once. */
export const creditReservations = pgTable(
  "credit_reservations",
  {
    reference: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id),
    fromAllowance: integer().notNull(),
    fromPurchased: integer().notNull(),
    /** The allowance period at the time; null in old rows. */
    period: text(),
    createdAt: at().notNull(),
    settledAt: at(),
    outcome: text({ enum: ["spend", "release"] }),
  },
  (table) => [
    index("credit_reservations_open").on(table.createdAt).where(sql`${table.settledAt} is null`),
    index("credit_reservations_user").on(table.userId),
  ],
);
