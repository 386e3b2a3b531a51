import { pgTable } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** Needs the engine, the app and the database. A minute without a row counts as down. */
export const healthMinutes = pgTable("health_minutes", {
  minute: at().primaryKey(),
});
