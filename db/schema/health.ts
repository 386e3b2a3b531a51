import { pgTable } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/**
 * The minutes in which the product did its work: one row is written by a durable function that runs every minute, so
 * it says that the engine, the app and the database worked together. A minute without a row counts as down.
 */
export const healthMinutes = pgTable("health_minutes", {
  /** The minute's first moment, by the database's clock. */
  minute: at().primaryKey(),
});
