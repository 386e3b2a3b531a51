import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";

/** A person. `emailKey` and `usernameKey` are the lower-case forms that must be unique. */
export const users = pgTable(
  "users",
  {
    id: text().$type<UserId>().primaryKey(),
    email: text().notNull(),
    emailKey: text().notNull(),
    username: text().notNull(),
    usernameKey: text().notNull(),
    firstName: text().notNull(),
    lastName: text().notNull(),
    passwordHash: text().notNull(),
    emailVerifiedAt: at(),
    plan: text({ enum: ["free", "basic", "growth", "pro"] })
      .notNull()
      .default("free"),
    /** From then on the plan is the free one, whatever `plan` says; null: no end is known (R-SUB-06). */
    planEndsAt: at(),
    timeZone: text().notNull().default("UTC"),
    /** The zone that counts in every browser; null: each browser's own does, and the last one stands in `timeZone`. */
    chosenTimeZone: text(),
    /** Kinds of mail that they switched off: of `MUTABLE_MAILS` in `lib/features/email/constants.ts`. */
    mutedMails: text().array().notNull().default(sql`'{}'`),
    createdAt: at().notNull(),
    /** When its owner deleted it: nobody logs in or writes to it any more, and nothing in it names a person. */
    closedAt: at(),
  },
  (table) => [
    uniqueIndex("users_email_key").on(table.emailKey),
    uniqueIndex("users_username_key").on(table.usernameKey),
  ],
);

/** One row per login (D7): the cookie and the access token carry its id and die with it. */
export const logins = pgTable(
  "logins",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    revokedAt: at(),
    /** What it was opened with, for people: 'Firefox on Linux'. */
    device: text().notNull().default(""),
    /** When it was last seen, to about a quarter of an hour. */
    lastUsedAt: at(),
  },
  (table) => [index("logins_user").on(table.userId), index("logins_expiry").on(table.expiresAt)],
);

/** A sent verification link; only the hash of its token is kept. */
export const emailVerifications = pgTable(
  "email_verifications",
  {
    tokenHash: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    emailKey: text().notNull(),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
  },
  (table) => [index("email_verifications_user").on(table.userId)],
);

/** A sent link for a new password; only the hash of its token is kept. */
export const passwordResets = pgTable(
  "password_resets",
  {
    tokenHash: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
  },
  (table) => [index("password_resets_user").on(table.userId), index("password_resets_expiry").on(table.expiresAt)],
);

/** A change of address that waits for the new address to confirm it; only the hash of the link's token is kept. */
export const emailChanges = pgTable(
  "email_changes",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenHash: text().notNull(),
    email: text().notNull(),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    /** Confirmed, or overtaken by another change, of the address or of the password. */
    endedAt: at(),
  },
  (table) => [
    uniqueIndex("email_changes_token").on(table.tokenHash),
    index("email_changes_user").on(table.userId),
    index("email_changes_expiry").on(table.expiresAt),
  ],
);
