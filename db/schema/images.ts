import { sql } from "drizzle-orm";
import { index, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** Stored images that no pin uses. They are deleted after a retention period unless a pin uses them again by then. */
export const orphanedImages = pgTable(
  "orphaned_images",
  {
    key: text().primaryKey(),
    since: at().notNull(),
    /** The deleted user whose erasure waits for these images only. No foreign key: the user's row stays. */
    erasedUserId: text(),
  },
  (table) => [
    index("orphaned_images_since").on(table.since),
    index("orphaned_images_erased").on(table.erasedUserId).where(sql`${table.erasedUserId} is not null`),
  ],
);
