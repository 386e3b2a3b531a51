import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** One row: whether the image storage is available. */
export const storageState = pgTable(
  "storage_state",
  {
    isOnly: boolean().primaryKey().default(true),
    /** When the marker object was first seen there; from then on a storage without it is not the right one. */
    markedAt: at(),
    checkedAt: at().notNull(),
    /** Set during an outage, with an error code that is safe to show. */
    downSince: at(),
    problem: text(),
  },
  (table) => [check("storage_state_only", sql`${table.isOnly}`)],
);
