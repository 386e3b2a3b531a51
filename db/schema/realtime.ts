import { sql } from "drizzle-orm";
import { bigint, bigserial, boolean, check, index, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";

/**
 * What changed for a user, in the order in which it became visible: written by triggers at the commit of whatever
 * changed it, read by the live stream (decision 0009). It names the thing only; what it is now is read with it.
 * No foreign key: checking one would wait for locks on the user's row while holding the user's place in the order.
 */
export const liveEvents = pgTable(
  "live_events",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    userId: text().$type<UserId>().notNull(),
    kind: text({ enum: ["task", "group", "post", "post_removed", "account", "credits", "reset"] }).notNull(),
    /** The id of the task, group, pin or account; the user's for credits, and where too much changed to name it. */
    subject: text().notNull(),
    /** By the database's clock, just before the commit. */
    createdAt: timestamp({ withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  (table) => [index("live_events_user").on(table.userId, table.id), index("live_events_age").on(table.createdAt)],
);

/** One row: events up to this id are deleted, so that who saw less cannot resume. */
export const liveHorizon = pgTable(
  "live_horizon",
  {
    isOnly: boolean().primaryKey().default(true),
    retiredThrough: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [check("live_horizon_one_row", sql`${table.isOnly}`)],
);
