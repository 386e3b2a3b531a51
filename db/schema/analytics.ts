import { date, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";
import { pins } from "./pins.ts";

/**
 * What Pinterest counted for one of our published pins, kept for at most a day (D8, docs/decisions/0023). The four lists
 * are running totals, one per day from `firstDay` to `readyThrough`, so that any span costs two look-ups.
 */
export const pinFigures = pgTable(
  "pin_figures",
  {
    pinId: text()
      .primaryKey()
      .references(() => pins.id, { onDelete: "cascade" }),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** `gone`: Pinterest no longer has the pin. `refused`: it does not tell this pin's figures. Both have no lists. */
    state: text({ enum: ["ready", "gone", "refused"] }).notNull(),
    /** A day in UTC, as Pinterest counts: `2026-11-20`. */
    firstDay: date({ mode: "string" }).notNull(),
    /** The last day whose figures are final; null while none is. */
    readyThrough: date({ mode: "string" }),
    impressions: integer().array().notNull().default([]),
    pinClicks: integer().array().notNull().default([]),
    outboundClicks: integer().array().notNull().default([]),
    saves: integer().array().notNull().default([]),
    fetchedAt: at().notNull(),
  },
  (table) => [
    index("pin_figures_account").on(table.accountId, table.fetchedAt),
    index("pin_figures_age").on(table.fetchedAt),
  ],
);

/** The fetching of an account's figures: one row per account that anybody asked about. All times are the database's. */
export const resultGathers = pgTable(
  "result_gathers",
  {
    accountId: text()
      .primaryKey()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** Counts askings; an event of an earlier one finds another number and does nothing. */
    generation: integer().notNull().default(0),
    askedAt: at().notNull(),
    /** Set while a run is expected to work; long past means that its event was lost, and the sweep sends another. */
    wakeAt: at(),
    /** How often the sweep sent this asking's event again; part of that event's id. */
    sweeps: integer().notNull().default(0),
    /** When the run goes on, where Pinterest or a failure makes it wait; null while it works in the pace of its calls. */
    resumesAt: at(),
    finishedAt: at(),
    /**
     * Calls that count against the limit as of `windowAt`; one of them is forgotten every 1.5 seconds from then on.
     * Of several accounts here that are one at Pinterest only the row of the first counts, for all of them.
     */
    windowAt: at(),
    windowCalls: integer().notNull().default(0),
    /** No call before, for screens neither: Pinterest said so. In that same row. */
    pausedUntil: at(),
    /** Many pins per call are refused until then (a beta of Pinterest's that most apps do not have). */
    bulkRefusedUntil: at(),
    /** What stands against it, safe to show; null when nothing does. */
    problemText: text(),
    /**
     * Why the last run was held, null unless it was. `refused`: Pinterest lets us see nothing until people change that.
     * `lost`: the connection. `pins`: a dozen of them in a row, others may be told. `failing`: what passes by itself.
     */
    heldBy: text({ enum: ["refused", "lost", "pins", "failing"] }),
  },
  (table) => [index("result_gathers_wake").on(table.wakeAt)],
);

/** Which week a user was last told about by mail, or spared for want of news; weeks by their Monday in the user's zone. */
export const weeklyMails = pgTable("weekly_mails", {
  userId: text()
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** The week for whose mail figures were asked for. */
  askedWeek: date({ mode: "string" }),
  toldWeek: date({ mode: "string" }),
});
