import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { pins } from "./pins.ts";

/**
 * One attempt to create a pin at Pinterest: the receipt (DESIGN §5.5).
 * `armed` → `calling` is committed before the call; nothing ever calls from `calling`.
 * One that begins in `calling` without `calledAt` only looks: an earlier attempt of the pin stayed unclear.
 */
export const publishAttempts = pgTable(
  "publish_attempts",
  {
    id: text().primaryKey(),
    pinId: text()
      .notNull()
      .references(() => pins.id, { onDelete: "cascade" }),
    scheduleGeneration: integer().notNull(),
    /** 1 for the first attempt of a pin, counting on over reschedulings. */
    number: integer().notNull(),
    state: text({ enum: ["armed", "calling", "settled"] }).notNull(),
    outcome: text({ enum: ["created", "found", "absent", "rejected", "later", "unclear", "abandoned"] }),
    armedAt: at().notNull(),
    calledAt: at(),
    answeredAt: at(),
    settledAt: at(),
    /** What stood against it, in the words of Pinterest's port; `unknown`: the pin may or may not exist. */
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
    /** The same for a person; safe to show. */
    problemText: text(),
    retryAfterSeconds: integer(),
    /** How often the board was searched after an unknown outcome, and how often that search itself failed. */
    looks: integer().notNull().default(0),
    lookFailures: integer().notNull().default(0),
    lookedAt: at(),
    pinterestPinId: text(),
    httpStatus: integer(),
    providerCode: integer(),
    providerMessage: text(),
    note: text(),
  },
  (table) => [
    uniqueIndex("publish_attempts_number").on(table.pinId, table.number),
    // One pin at Pinterest can settle one attempt only.
    uniqueIndex("publish_attempts_pinterest_pin").on(table.pinterestPinId),
    // At most one attempt of a pin is open at any time.
    uniqueIndex("publish_attempts_open").on(table.pinId).where(sql`${table.state} <> 'settled'`),
    index("publish_attempts_calling").on(table.calledAt).where(sql`${table.state} = 'calling'`),
  ],
);
