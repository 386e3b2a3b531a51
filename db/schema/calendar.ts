import { pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "./accounts.ts";

/** The weekly times at which an account publishes, in its time zone. */
export const postingSlots = pgTable(
  "posting_slots",
  {
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** 0 is Sunday. */
    weekday: smallint().notNull(),
    /** After midnight. */
    minute: smallint().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.weekday, table.minute] })],
);
