import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** A pin of ours, from draft to published or failed (R-POST-11). */
export const pins = pgTable(
  "pins",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id),
    boardId: text().notNull(),
    source: text({ enum: ["ai", "manual"] }).notNull(),
    title: text().notNull(),
    description: text().notNull().default(""),
    altText: text().notNull().default(""),
    link: text(),
    keyword: text(),
    imageKey: text().notNull(),
    status: text({ enum: ["draft", "scheduled", "published", "failed"] }).notNull(),
    scheduledAt: at(),
    /** Counts schedulings; an event or job of an earlier one finds another number and does nothing. */
    scheduleGeneration: integer().notNull().default(0),
    batchId: text(),
    /** When somebody is next expected to work on it; long past means that an event was lost, and the sweep sends another. */
    wakeAt: at(),
    /** How often the sweep sent this schedule's event again; part of that event's id. */
    sweeps: integer().notNull().default(0),
    /** How often a run of this schedule broke down on our side. */
    breakdowns: integer().notNull().default(0),
    /** When the user chose this very pin for publishing (D9). */
    chosenAt: at(),
    publishedAt: at(),
    pinterestPinId: text(),
    /** Why it is failed, or why it went back to draft; safe to show. */
    reason: text(),
    /** The outcome stayed unclear: it may be on Pinterest already. */
    mayBePublished: boolean().notNull().default(false),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    index("pins_account").on(table.accountId, table.createdAt),
    index("pins_account_status").on(table.accountId, table.status),
    index("pins_wake").on(table.wakeAt).where(sql`${table.status} = 'scheduled'`),
    uniqueIndex("pins_pinterest_pin").on(table.pinterestPinId),
  ],
);
