import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** Bulk requests by their idempotency key, so that a repeated request returns the same pins instead of new ones. */
export const bulkSubmissions = pgTable(
  "bulk_submissions",
  {
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    key: text().notNull(),
    /** Digest of the request. The same key with different content is rejected. */
    digest: text().notNull(),
    pinIds: text().array().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index("bulk_submissions_created").on(table.createdAt),
  ],
);
