import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";

/** `emailKey` and `usernameKey` are the normalized forms that must be unique. */
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
    /** From then on the plan is free, whatever `plan` says. Null when no end is known. */
    planEndsAt: at(),
    timeZone: text().notNull().default("UTC"),
    /** A fixed zone for all browsers; null: each browser's own zone, the latest of which is in `timeZone`. */
    chosenTimeZone: text(),
    mutedEmails: text().array().notNull().default(sql`'{}'`),
    createdAt: at().notNull(),
    closedAt: at(),
  },
  (table) => [
    uniqueIndex("users_email_key").on(table.emailKey),
    uniqueIndex("users_username_key").on(table.usernameKey),
  ],
);

/** The session cookie and the access token carry a login's id and end with it. */
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
    device: text().notNull().default(""),
    /** Accurate to about 15 minutes. */
    lastUsedAt: at(),
  },
  (table) => [index("logins_user").on(table.userId), index("logins_expiry").on(table.expiresAt)],
);

/** A verification link; only the hash of its token is stored. */
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
    /** When it was confirmed, canceled, or superseded by another email or password change. */
    endedAt: at(),
  },
  (table) => [
    uniqueIndex("email_changes_token").on(table.tokenHash),
    index("email_changes_user").on(table.userId),
    index("email_changes_expiry").on(table.expiresAt),
  ],
);
