import { index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** What pages said, kept for a day and shared by all users (decision 0040). Holds no URL that a user typed. */
export const pageReadings = pgTable(
  "page_readings",
  {
    /** HMAC of the URL. */
    urlKey: text().primaryKey(),
    /** `PageFacts` of `lib/features/pages/schema.ts`; null when the page couldn't be used. */
    facts: jsonb(),
    /** Why it couldn't be used; null when it could. */
    reason: text(),
    /** HTTP status of the site's refusal. */
    status: integer(),
    readAt: at().notNull(),
  },
  (table) => [index("page_readings_read").on(table.readAt)],
);
