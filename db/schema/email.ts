import { index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** Emails to be sent, written in the transaction that causes them and deleted once sent. */
export const emailOutbox = pgTable(
  "email_outbox",
  {
    id: text().primaryKey(),
    /** Null for emails that must outlive an account or belong to none. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id, { onDelete: "cascade" }),
    recipient: text().notNull(),
    /** An `EmailContent` of `lib/features/email/schema.ts`; it holds seeds instead of link tokens. */
    content: jsonb().notNull(),
    createdAt: at().notNull(),
    wakeAt: at().notNull(),
    sweeps: integer().notNull().default(0),
    /** Until then one worker has the lease to send it. */
    claimedUntil: at(),
  },
  (table) => [
    index("email_outbox_wake").on(table.wakeAt),
    index("email_outbox_user").on(table.userId),
    index("email_outbox_age").on(table.createdAt),
  ],
);
