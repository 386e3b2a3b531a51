import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { pins } from "./pins.ts";

/**
 * The attempt log. `armed` → `calling` commits before the call, and no call is ever made from `calling`. An attempt
 * that starts in `calling` without `calledAt` only checks the board: an earlier outcome is unknown.
 */
export const publishAttempts = pgTable(
  "publish_attempts",
  {
    id: text().primaryKey(),
    pinId: text()
      .notNull()
      .references(() => pins.id, { onDelete: "cascade" }),
    scheduleGeneration: integer().notNull(),
    /** Counts the pin's attempts from 1, across schedules. */
    number: integer().notNull(),
    state: text({ enum: ["armed", "calling", "settled"] }).notNull(),
    outcome: text({ enum: ["created", "found", "absent", "rejected", "later", "unclear", "abandoned"] }),
    armedAt: at().notNull(),
    calledAt: at(),
    answeredAt: at(),
    settledAt: at(),
    /** The problem, as Pinterest's port names it; `unknown`: the pin may or may not exist. */
    problem: text({
      enum: [
        "unknown",
        "token_dead",
        "missing_scope",
        "trial_access",
        "rate_limited",
        "spam_block",
        "busy",
        "not_found",
        "rejected",
        "restricted",
        "unavailable",
      ],
    }),
    problemText: text(),
    retryAfterSeconds: integer(),
    boardChecks: integer().notNull().default(0),
    failedBoardChecks: integer().notNull().default(0),
    boardCheckedAt: at(),
    pinterestPinId: text(),
    httpStatus: integer(),
    providerCode: integer(),
    providerMessage: text(),
    note: text(),
  },
  (table) => [
    uniqueIndex("publish_attempts_number").on(table.pinId, table.number),
    // A Pinterest pin settles one attempt only.
    uniqueIndex("publish_attempts_pinterest_pin").on(table.pinterestPinId),
    // A pin has at most one open attempt.
    uniqueIndex("publish_attempts_open").on(table.pinId).where(sql`${table.state} <> 'settled'`),
    index("publish_attempts_calling").on(table.calledAt).where(sql`${table.state} = 'calling'`),
  ],
);
