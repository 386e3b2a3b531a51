import "server-only";
import { and, gt, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { oauthStates } from "#db/schema/accounts.ts";
import { paymentEvents } from "#db/schema/billing.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { letters } from "#db/schema/email.ts";
import { generationGroups } from "#db/schema/generation.ts";
import { healthMinutes } from "#db/schema/health.ts";
import { emailChanges, emailVerifications, logins, passwordResets } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { deleteInBatches } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { retireCheckouts } from "#lib/features/billing/checkout.ts";
import { retirePayers } from "#lib/features/billing/subscriptions.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { retireChecks } from "#lib/features/links/checks.ts";
import { retirePins } from "#lib/features/pins/retention.ts";
import { retireEvents } from "#lib/features/realtime/events.ts";

type RetentionCtx = Ctx<"payments" | "storage">;

/** Deletes what a rule is about. @returns how many. */
type Deletion = (ctx: RetentionCtx) => Promise<number>;

interface Rows {
  table: PgTable;
  /** Without one, as where the key has several columns, the few rows go in one statement. */
  key?: PgColumn;
  /** Which rows go, by the moment before which they are too old. */
  where: (before: Date) => SQL | undefined;
  batch?: number;
}

/** Deletes rows that are older than this in small statements. */
const rows =
  (afterMs: number, { table, key, where, batch }: Rows): Deletion =>
  async (ctx) => {
    const isOld = where(addMs(ctx.now(), -afterMs));
    if (!key) return (await ctx.db.delete(table).where(isOld)).count;
    return deleteInBatches(ctx.db, { table, key, where: isOld, ...(batch && { batch }) });
  };

/**
 * What is deleted every night, by the name of its step. How long each is kept, and why, says `lib/core/retention.ts`;
 * a function of its own deletes what takes more than rows of one table.
 */
export const RETENTION_RULES = {
  logins: rows(RETENTION_MS.login, {
    table: logins,
    key: logins.id,
    where: (before) => or(lte(logins.revokedAt, before), lte(logins.expiresAt, before)),
  }),
  verifications: rows(RETENTION_MS.verification, {
    table: emailVerifications,
    key: emailVerifications.tokenHash,
    where: (before) => or(lte(emailVerifications.usedAt, before), lte(emailVerifications.expiresAt, before)),
  }),
  resets: rows(RETENTION_MS.passwordReset, {
    table: passwordResets,
    key: passwordResets.tokenHash,
    where: (before) => or(lte(passwordResets.usedAt, before), lte(passwordResets.expiresAt, before)),
  }),
  "email-changes": rows(RETENTION_MS.emailChange, {
    table: emailChanges,
    key: emailChanges.id,
    where: (before) => or(lte(emailChanges.endedAt, before), lte(emailChanges.expiresAt, before)),
  }),
  states: rows(RETENTION_MS.consent, {
    table: oauthStates,
    key: oauthStates.stateHash,
    where: (before) => lte(oauthStates.expiresAt, before),
  }),
  letters: rows(RETENTION_MS.letter, {
    table: letters,
    key: letters.id,
    where: (before) => lte(letters.createdAt, before),
  }),
  "digest-entries": rows(RETENTION_MS.digestEntry, {
    table: digestEntries,
    where: (before) => lte(digestEntries.occurredAt, before),
  }),
  messages: rows(RETENTION_MS.contactMessage, {
    table: contactMessages,
    key: contactMessages.id,
    where: (before) => lte(contactMessages.createdAt, before),
  }),
  // With their tasks. Pins and the ledger keep what counts: the drafts that were made, and what each task cost.
  groups: rows(RETENTION_MS.finishedGroup, {
    table: generationGroups,
    key: generationGroups.id,
    where: (before) => lte(generationGroups.finishedAt, before),
    batch: 100,
  }),
  videos: rows(RETENTION_MS.deletedVideo, {
    table: savedVideos,
    key: savedVideos.id,
    where: (before) => lte(savedVideos.deletedAt, before),
  }),
  submissions: rows(RETENTION_MS.submission, {
    table: bulkSubmissions,
    where: (before) => lte(bulkSubmissions.createdAt, before),
  }),
  // But for the very first: it says since when there are records.
  minutes: rows(RETENTION_MS.healthMinute, {
    table: healthMinutes,
    key: healthMinutes.minute,
    where: (before) =>
      and(lt(healthMinutes.minute, before), gt(healthMinutes.minute, sql`(select min(minute) from ${healthMinutes})`)),
    batch: 5_000,
  }),
  // What they told of stays.
  "payment-events": rows(RETENTION_MS.paymentEvent, {
    table: paymentEvents,
    key: paymentEvents.eventId,
    where: (before) => and(isNotNull(paymentEvents.appliedAt), lte(paymentEvents.receivedAt, before)),
  }),
  pins: retirePins,
  images: retireImages,
  "link-checks": retireChecks,
  events: retireEvents,
  payers: retirePayers,
  checkouts: retireCheckouts,
} satisfies Record<string, Deletion>;

export type RetentionRule = keyof typeof RETENTION_RULES;
