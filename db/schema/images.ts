import { index, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** Pictures that lost their pin or never got one. They leave the storage after a while, unless a pin has them then. */
export const orphanedImages = pgTable(
  "orphaned_images",
  {
    key: text().primaryKey(),
    since: at().notNull(),
  },
  (table) => [index("orphaned_images_since").on(table.since)],
);
