import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** Counts that all processes share. An unlogged table: a crash of the database empties it. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    /** What is counted, and a keyed hash of whom: never an address or email. */
    key: text().primaryKey(),
    calls: integer().notNull(),
    /** Of a window: its end. Of failed sign-ins: when the next one may be tried. */
    endsAt: at().notNull(),
  },
  (table) => [index("rate_limits_ends").on(table.endsAt)],
);
