import { index, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** Stored images that no pin uses. They are deleted after a retention period unless a pin uses them again by then. */
export const orphanedImages = pgTable(
  "orphaned_images",
  {
    key: text().primaryKey(),
    since: at().notNull(),
  },
  (table) => [index("orphaned_images_since").on(table.since)],
);
