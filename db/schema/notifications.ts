import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";

/**
 * What somebody is to be told by mail, gathered for a while so that one mail tells many things. No foreign key:
 * checking one would wait for locks on the user's row while holding the pin's or the account's.
 */
export const digestEntries = pgTable(
  "digest_entries",
  {
    userId: text().$type<UserId>().notNull(),
    kind: text({ enum: ["pins_failed", "account_lost", "links_dead"] }).notNull(),
    /** What happened, once: what it is about and which time, as in `pin_…:3`. */
    cause: text().notNull(),
    /** What it is about, for people: a title, a username. */
    subject: text().notNull(),
    /** Why; safe to show. */
    reason: text().notNull().default(""),
    occurredAt: at().notNull(),
    /** When it was put into a mail; null while it waits for one. */
    mailedAt: at(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.kind, table.cause] }),
    index("digest_entries_occurred").on(table.occurredAt),
    index("digest_entries_waiting").on(table.userId, table.occurredAt).where(sql`${table.mailedAt} is null`),
  ],
);
