import { jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";

/** How an account's pins look: what templates are drawn with. */
export const brandKits = pgTable("brand_kits", {
  accountId: text()
    .primaryKey()
    .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
  /** Three colours as `#rrggbb`: a `BrandColours` of `lib/features/branding/schema.ts`. */
  colours: jsonb().notNull(),
  fontPairing: text().notNull(),
  logoKey: text(),
  updatedAt: at().notNull(),
});
