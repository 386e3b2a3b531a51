import { date, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

export const keywordLists = pgTable(
  "keyword_lists",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** The name as it is compared; unique per user. */
    nameKey: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [uniqueIndex("keyword_lists_name").on(table.userId, table.nameKey)],
);

/** The keyword and the day it was saved, and none of Pinterest's numbers. */
export const savedKeywords = pgTable(
  "saved_keywords",
  {
    id: text().primaryKey(),
    listId: text()
      .notNull()
      .references(() => keywordLists.id, { onDelete: "cascade" }),
    keyword: text().notNull(),
    /** The keyword as it is compared; unique per list. */
    keywordKey: text().notNull(),
    /** In UTC. */
    savedOn: date().notNull(),
  },
  (table) => [uniqueIndex("saved_keywords_keyword").on(table.listId, table.keywordKey)],
);
