import { jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";

export const brandKits = pgTable("brand_kits", {
  accountId: text()
    .primaryKey()
    .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
  /** Three colors as `#rrggbb`: a `BrandColors` of `lib/features/branding/schema.ts`. */
  colors: jsonb("colours").notNull(),
  fontPairing: text().notNull(),
  logoKey: text(),
  updatedAt: at().notNull(),
});
