import { index, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const contactMessages = pgTable(
  "contact_messages",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull(),
    emailKey: text().notNull(),
    subject: text().notNull(),
    message: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    index("contact_messages_sender").on(table.emailKey, table.createdAt),
    index("contact_messages_age").on(table.createdAt),
  ],
);
