import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";

/** No foreign key: its check would wait for the user's row while holding a lock on the pin or account. */
export const digestEntries = pgTable(
  "digest_entries",
  {
    userId: text().$type<UserId>().notNull(),
    kind: text({ enum: ["pins_failed", "account_lost", "links_dead"] }).notNull(),
    /** Subject id and occasion, such as `pin_…:3`. */
    cause: text().notNull(),
    subject: text().notNull(),
    reason: text().notNull().default(""),
    occurredAt: at().notNull(),
    /** When it was added to an email; null while it is pending. */
    mailedAt: at(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.kind, table.cause] }),
    index("digest_entries_occurred").on(table.occurredAt),
    index("digest_entries_waiting").on(table.userId, table.occurredAt).where(sql`${table.mailedAt} is null`),
  ],
);
