import { boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/**
 * Who draws a picture now, and who waits in a call for that (docs/decisions/0008). All times are the database's.
 * A row whose time is over belongs to a dead process and counts for nothing.
 */
export const drawingPlaces = pgTable(
  "drawing_places",
  {
    /** What is drawn: the id of a generation task. One call at a time may wait or draw for it. */
    reference: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The call that waits or draws. */
    waiter: text().notNull(),
    askedAt: at().notNull(),
    /** A waiting call says again and again that it is there. */
    presentUntil: at().notNull(),
    /** Set once the call has a lease; renewed while it works. */
    leasedUntil: at(),
    /** Whether the lease takes up one of the places: from the grant until the model has answered. */
    isDrawing: boolean().notNull().default(false),
  },
  (table) => [index("drawing_places_user").on(table.userId)],
);

/** The provider's word that no picture may be asked for until some moment; it holds for all. One row. */
export const drawingPauses = pgTable("drawing_pauses", {
  /** Always `images`. */
  subject: text().primaryKey(),
  /** No place is given before. */
  resumeAt: at().notNull(),
  /** Until then places are given one at a time … */
  pacedUntil: at().notNull(),
  /** … and so many milliseconds apart, so that one call finds out what the quota allows. */
  gapMs: integer().notNull(),
});
