import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";

/** Accounts without a row have the default pace. */
export const accountPaces = pgTable("account_paces", {
  accountId: text()
    .primaryKey()
    .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
  /** `PaceNumbers` of `lib/features/planning/constants.ts`. */
  numbers: jsonb().notNull(),
  updatedAt: at().notNull(),
});

/** Rules that a user left out of one plan, and why. The plan's pins have its `batch_id`. */
export const planOverrides = pgTable(
  "plan_overrides",
  {
    batchId: text().notNull(),
    rule: text().notNull(),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    reason: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.batchId, table.rule] }),
    index("plan_overrides_account").on(table.accountId, table.batchId),
  ],
);
