import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** Kept as proof of the erasure. */
export const erasures = pgTable(
  "erasures",
  {
    userId: text()
      .$type<UserId>()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    requestedAt: at().notNull(),
    /** When rows may be erased, because work in flight has settled. */
    eraseAt: at().notNull(),
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
    finishedAt: at(),
  },
  (table) => [index("erasures_wake").on(table.wakeAt).where(sql`${table.finishedAt} is null`)],
);
