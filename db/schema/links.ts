import { sql } from "drizzle-orm";
import { bigserial, boolean, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** One row per link, shared by all users. */
export const linkChecks = pgTable(
  "link_checks",
  {
    /** SHA-256 of the link: links can be longer than an index key. */
    urlHash: text().primaryKey(),
    url: text().notNull(),
    host: text().notNull(),
    state: text({
      enum: [
        "pending",
        "ok",
        "redirects",
        "shortener",
        "insecure",
        "untrusted",
        "dead",
        "unreachable",
        "refused",
        "offline",
      ],
    }).notNull(),
    /** What the last check that reached a conclusion found: whether the page responds. */
    isUp: boolean(),
    finalUrl: text(),
    httpStatus: integer(),
    /** Identifies the latest request; events of earlier ones do nothing. */
    requestedAt: at().notNull(),
    fetchedAt: at(),
    checkedAt: at(),
    /** When the sweep sends the event again; null when no check is running. */
    wakeAt: at(),
    sweeps: integer().notNull().default(0),
  },
  (table) => [
    index("link_checks_wake").on(table.wakeAt),
    index("link_checks_requested").on(table.requestedAt),
    index("link_checks_host").on(table.host, table.fetchedAt),
  ],
);

/** Requests to sites other than link checks, for as long as they count toward the site's limit. */
export const siteRequests = pgTable(
  "site_requests",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    site: text().notNull(),
    /** A time in the future is reserved. */
    at: at().notNull(),
    /** The page that waits for this time; null once the request was made. */
    waiter: text(),
  },
  (table) => [
    index("site_requests_site").on(table.site, table.at),
    uniqueIndex("site_requests_waiter").on(table.waiter, table.site).where(sql`${table.waiter} is not null`),
  ],
);
