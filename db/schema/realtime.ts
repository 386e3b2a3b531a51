import { sql } from "drizzle-orm";
import { bigint, bigserial, boolean, check, index, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";

/** In commit order, by triggers (decision 0009). No foreign key: its check would wait for locks on the user's row. */
export const liveEvents = pgTable(
  "live_events",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    userId: text().$type<UserId>().notNull(),
    kind: text({ enum: ["task", "group", "post", "post_removed", "account", "credits", "reset"] }).notNull(),
    /** Id of the task, group, pin or account; the user's id for credits and for `reset`. */
    subject: text().notNull(),
    /** On the database's clock, just before the commit. */
    createdAt: timestamp({ withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  (table) => [index("live_events_user").on(table.userId, table.id), index("live_events_age").on(table.createdAt)],
);

/** A single row: events up to this id have been deleted, so older positions cannot resume. */
export const liveHorizon = pgTable(
  "live_horizon",
  {
    isOnly: boolean().primaryKey().default(true),
    purgedThrough: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [check("live_horizon_one_row", sql`${table.isOnly}`)],
);
