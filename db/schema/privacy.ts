import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** A deleted user whose content is being erased, or was. Kept as the proof of it. */
export const erasures = pgTable(
  "erasures",
  {
    userId: text()
      .$type<UserId>()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    requestedAt: at().notNull(),
    /** By then whatever was under way has ended, and the rows go. */
    eraseAt: at().notNull(),
    /** When somebody is next expected to work on it; past it the sweep sends another event. */
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
    finishedAt: at(),
  },
  (table) => [index("erasures_wake").on(table.wakeAt).where(sql`${table.finishedAt} is null`)],
);
