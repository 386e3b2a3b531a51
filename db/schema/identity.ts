import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** A person. `emailKey` and `usernameKey` are the lower-case forms that must be unique. */
export const users = pgTable(
  "users",
  {
    id: text().primaryKey(),
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
    timeZone: text().notNull().default("UTC"),
    createdAt: at().notNull(),
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
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    revokedAt: at(),
  },
  (table) => [index("logins_user").on(table.userId), index("logins_expiry").on(table.expiresAt)],
);

/** A sent verification link; only the hash of its token is kept. */
export const emailVerifications = pgTable(
  "email_verifications",
  {
    tokenHash: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    emailKey: text().notNull(),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
  },
  (table) => [index("email_verifications_user").on(table.userId)],
);
