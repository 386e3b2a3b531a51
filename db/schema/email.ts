import { index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/**
 * Mails that are to be sent, written in the transaction that gives rise to them. One that was sent is deleted, so that
 * nobody sends it again and its address is not kept.
 */
export const letters = pgTable(
  "letters",
  {
    id: text().primaryKey(),
    /** Whose; null for mails about nobody's account. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id, { onDelete: "cascade" }),
    recipient: text().notNull(),
    /** What it says: a letter of `lib/features/email/schema.ts`. Links are not in it, only what they are made from. */
    content: jsonb().notNull(),
    createdAt: at().notNull(),
    /** Past it the sweep sends another event. */
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
    /** Somebody is sending it, and until then nobody else does. */
    claimedUntil: at(),
  },
  (table) => [
    index("letters_wake").on(table.wakeAt),
    index("letters_user").on(table.userId),
    index("letters_age").on(table.createdAt),
  ],
);
