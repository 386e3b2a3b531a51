import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

const owner = () =>
  text()
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** Feeds, sitemaps, and shops that a user watches for new pages (decision 0042). */
export const siteWatches = pgTable(
  "site_watches",
  {
    id: text().primaryKey(),
    userId: owner(),
    /** The URL that is read. */
    address: text().notNull(),
    name: text().notNull(),
    /** Short hashes of the pages that were there before, 6 bytes each, as base64. */
    known: text().notNull(),
    createdAt: at().notNull(),
    checkedAt: at().notNull(),
    /** When it is read again. */
    nextAt: at().notNull(),
    /** Why the last reading failed, for its user; null when it worked. */
    problem: text(),
    /** Failed readings in a row, but those that say nothing about the site. */
    failures: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("site_watches_address").on(table.userId, table.address),
    index("site_watches_next").on(table.nextAt),
  ],
);

/** New pages of watched sites, until they are used or dismissed. */
export const pageProposals = pgTable(
  "page_proposals",
  {
    id: text().primaryKey(),
    userId: owner(),
    watchId: text()
      .notNull()
      .references(() => siteWatches.id, { onDelete: "cascade" }),
    url: text().notNull(),
    title: text().notNull(),
    keyword: text().notNull(),
    imageUrl: text(),
    /** As the site says; null when it doesn't. */
    publishedAt: at(),
    foundAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("page_proposals_url").on(table.watchId, table.url),
    index("page_proposals_user").on(table.userId, table.foundAt),
    index("page_proposals_found").on(table.foundAt),
  ],
);

/** Pages that a user dismissed, whatever becomes of the watches that found them. */
export const pageDismissals = pgTable(
  "page_dismissals",
  {
    userId: owner(),
    /** Short hash of the page, as in `site_watches.known`. */
    page: text().notNull(),
    dismissedAt: at().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.page] })],
);

/** A user's word that they may use a site's images. */
export const imageRights = pgTable(
  "image_rights",
  {
    userId: owner(),
    /** Host name without `www.`. */
    site: text().notNull(),
    confirmedAt: at().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.site] })],
);
