import { date, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";
import { pins } from "./pins.ts";

/** Kept for at most a day (decision 0023). Arrays are running totals per day from `firstDay` to `readyThrough`. */
export const pinMetrics = pgTable(
  "pin_metrics",
  {
    pinId: text()
      .primaryKey()
      .references(() => pins.id, { onDelete: "cascade" }),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** `gone`: deleted on Pinterest. `refused`: Pinterest does not report its metrics. Both have empty arrays. */
    state: text({ enum: ["ready", "gone", "refused"] }).notNull(),
    firstDay: date({ mode: "string" }).notNull(),
    /** Null when no day is final. */
    readyThrough: date({ mode: "string" }),
    impressions: integer().array().notNull().default([]),
    pinClicks: integer().array().notNull().default([]),
    outboundClicks: integer().array().notNull().default([]),
    saves: integer().array().notNull().default([]),
    fetchedAt: at().notNull(),
  },
  (table) => [
    index("pin_metrics_account").on(table.accountId, table.fetchedAt),
    index("pin_metrics_age").on(table.fetchedAt),
  ],
);

/** The state of an account's sync. All times are the database's. */
export const analyticsSyncs = pgTable(
  "analytics_syncs",
  {
    accountId: text()
      .primaryKey()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** Grows with each request; events of an earlier one do nothing. */
    generation: integer().notNull().default(0),
    requestedAt: at().notNull(),
    /** When it is past, the event was lost and the sweep resends it. */
    wakeAt: at(),
    sweeps: integer().notNull().default(0),
    /** When a paused run resumes; null while it works at its normal pace. */
    resumesAt: at(),
    finishedAt: at(),
    /** Calls as of `windowAt`; one expires every 1.5 s. Accounts of one Pinterest account share the first one's row. */
    windowAt: at(),
    windowCalls: integer().notNull().default(0),
    /** No calls before this time, by Pinterest's rate limit; also in the first row. */
    pausedUntil: at(),
    /** Bulk calls are not used until then (a Pinterest beta that most apps do not have). */
    bulkRefusedUntil: at(),
    /** Safe to show. */
    problemText: text(),
    /** `refused`: until someone acts. `pins`: a dozen refused or deleted in a row. `failing`: temporary failures. */
    heldBy: text({ enum: ["refused", "lost", "pins", "failing"] }),
  },
  (table) => [index("analytics_syncs_wake").on(table.wakeAt)],
);

/** The last week handled for a user's weekly email, by its Monday in the user's time zone. */
export const weeklyEmails = pgTable("weekly_emails", {
  userId: text()
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  requestedWeek: date({ mode: "string" }),
  sentWeek: date({ mode: "string" }),
});
