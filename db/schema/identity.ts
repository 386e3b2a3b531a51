import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { LoginId, UserId } from "#lib/core/ids.ts";
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
    // Partial, so that PostgreSQL does not count these columns as keys: changing a key blocks references to the user.
    uniqueIndex("users_email").on(table.emailKey).where(sql`${table.emailKey} is not null`),
    uniqueIndex("users_username").on(table.usernameKey).where(sql`${table.usernameKey} is not null`),
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
    /** When its user last proved who they are, by signing in or by confirming it again. */
    confirmedAt: at(),
    /** Grows with each new password; cookies and tokens with another number are dead. Null is 0. */
    tokenVersion: integer(),
    /** Grows when the access token is renewed; the cookie doesn't carry it. Null is 0. */
    accessVersion: integer(),
    accessRenewedAt: at(),
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

const ownerId = () =>
  text()
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** What happened to an account, for its owner to read. */
export const securityEvents = pgTable(
  "security_events",
  {
    id: text().primaryKey(),
    userId: ownerId(),
    kind: text({
      enum: [
        "signed_in",
        "signed_out",
        "login_ended",
        "other_logins_ended",
        "sign_in_code_failed",
        "password_changed",
        "password_reset",
        "email_change_requested",
        "email_changed",
        "codes_enabled",
        "codes_disabled",
        "recovery_codes_created",
        "recovery_code_used",
        "passkey_added",
        "passkey_removed",
        "passkey_refused",
        "google_linked",
        "google_unlinked",
        "data_exported",
        "api_key_created",
        "api_key_rotated",
        "api_key_revoked",
        "app_connected",
        "app_disconnected",
        "webhook_added",
        "webhook_changed",
        "webhook_secret_changed",
        "webhook_removed",
      ],
    }).notNull(),
    loginId: text().$type<LoginId>(),
    device: text().notNull().default(""),
    /** The network, not the whole address: `203.0.113.0/24`. */
    network: text().notNull().default(""),
    /** For example the name of the passkey, or how the user signed in. */
    detail: text().notNull().default(""),
    createdAt: at().notNull(),
  },
  (table) => [
    index("security_events_user").on(table.userId, table.createdAt),
    index("security_events_age").on(table.createdAt),
  ],
);

/** An authenticator app (TOTP, RFC 6238). It counts from `confirmedAt` on. */
export const authenticators = pgTable("authenticators", {
  userId: ownerId().primaryKey(),
  sealedSecret: text().notNull(),
  createdAt: at().notNull(),
  confirmedAt: at(),
  /** The time step of the last accepted code, so that no code works twice. */
  lastStep: bigint({ mode: "number" }),
});

/** Only the hashes of the codes are stored. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  { userId: ownerId(), codeHash: text().notNull(), createdAt: at().notNull(), usedAt: at() },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/** A WebAuthn credential. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: text().primaryKey(),
    userId: ownerId(),
    /** Base64url, as the browser reports it. */
    credentialId: text().notNull(),
    publicKey: text().notNull(),
    counter: bigint({ mode: "number" }).notNull(),
    transports: text().array().notNull().default(sql`'{}'`),
    name: text().notNull(),
    createdAt: at().notNull(),
    lastUsedAt: at(),
  },
  (table) => [uniqueIndex("passkeys_credential").on(table.credentialId), index("passkeys_user").on(table.userId)],
);

/** One step of a sign-in or confirmation that waits for its answer; used once. */
export const authChallenges = pgTable(
  "auth_challenges",
  {
    /** The hash of the token that the browser or client holds. */
    tokenHash: text().primaryKey(),
    kind: text({
      enum: ["second_step", "passkey_sign_in", "passkey_confirm", "passkey_add", "google"],
    }).notNull(),
    /** Null while the user is not known yet. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id, { onDelete: "cascade" }),
    /** What the answer must contain: a WebAuthn challenge, or Google's nonce and code verifier. */
    challenge: text().notNull().default(""),
    attempts: integer().notNull().default(0),
    createdAt: at().notNull(),
    expiresAt: at().notNull(),
    usedAt: at(),
  },
  (table) => [index("auth_challenges_expiry").on(table.expiresAt), index("auth_challenges_user").on(table.userId)],
);

/** A sign-in with another service, by its own user id. */
export const externalLogins = pgTable(
  "external_logins",
  {
    provider: text({ enum: ["google"] }).notNull(),
    subject: text().notNull(),
    userId: ownerId(),
    email: text().notNull(),
    createdAt: at().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.subject] }),
    uniqueIndex("external_logins_user").on(table.userId, table.provider),
  ],
);
