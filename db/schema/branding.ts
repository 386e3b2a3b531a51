import { boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";
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

/** How an account's texts and images are generated. Accounts without a row use the default voice. */
export const brandVoices = pgTable("brand_voices", {
  accountId: text()
    .primaryKey()
    .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
  about: text().notNull(),
  wordsToUse: text().array().notNull(),
  wordsToAvoid: text().array().notNull(),
  /** A code of `VOICE_LANGUAGES`; null: the language of the keyword. */
  language: text(),
  hasEmoji: boolean().notNull(),
  hasHashtags: boolean().notNull(),
  /** A code of `IMAGE_STYLES`; null: none. */
  imageStyle: text(),
  /** The user's own styles: `OwnStyle`s of `lib/features/branding/schema.ts`. */
  ownStyles: jsonb().notNull().default([]),
  /** The name of the own style that is used; null: none. */
  ownStyle: text(),
  /** The user's own words about images. */
  imageAbout: text().notNull().default(""),
  /** Images take up the colors of the brand kit. */
  hasBrandColors: boolean().notNull().default(false),
  updatedAt: at().notNull(),
});
