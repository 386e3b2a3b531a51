import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** What was found behind an address that pins lead to. One row for each address, whoever uses it. */
export const linkChecks = pgTable(
  "link_checks",
  {
    /** SHA-256 of the address: addresses are longer than a key may be. */
    urlHash: text().primaryKey(),
    url: text().notNull(),
    /** The site that is asked first (registered name, without sub-domains); checks are paced by it. */
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
    /** Where it leads in the end, when that is elsewhere. */
    finalUrl: text(),
    httpStatus: integer(),
    /** When it was last asked for; an event of an earlier request finds another time and does nothing. */
    requestedAt: at().notNull(),
    /** When a request for it last went out. */
    askedAt: at(),
    checkedAt: at(),
    /** Past it, without an answer, the sweep has it checked again. */
    wakeAt: at(),
    sweeps: integer().notNull().default(0),
  },
  (table) => [
    index("link_checks_wake").on(table.wakeAt),
    index("link_checks_requested").on(table.requestedAt),
    index("link_checks_host").on(table.host, table.askedAt),
  ],
);
