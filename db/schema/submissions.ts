import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** Sets of pins that were sent under a key of the sender's: sent again, they are answered and not made again. */
export const bulkSubmissions = pgTable(
  "bulk_submissions",
  {
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    key: text().notNull(),
    /** Digest of what was sent: another content under the same key is refused. */
    digest: text().notNull(),
    pinIds: text().array().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index("bulk_submissions_created").on(table.createdAt),
  ],
);
