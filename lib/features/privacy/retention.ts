import "server-only";
import { and, gt, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { oauthStates } from "#db/schema/accounts.ts";
import { apiKeySpending, apiKeys, apiKeyUses, apiWrites, oauthClients, oauthCodes } from "#db/schema/api-keys.ts";
import { paymentEvents } from "#db/schema/billing.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { freeAllowanceClaims } from "#db/schema/credits.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { generationGroups } from "#db/schema/generation.ts";
import { healthMinutes } from "#db/schema/health.ts";
import {
  authChallenges,
  emailChanges,
  emailVerifications,
  logins,
  passwordResets,
  securityEvents,
} from "#db/schema/identity.ts";
import { rateLimits } from "#db/schema/limits.ts";
import { siteRequests } from "#db/schema/links.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { pageReadings } from "#db/schema/pages.ts";
import { pageProposals } from "#db/schema/sites.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { webhookMessages } from "#db/schema/webhooks.ts";
import { deleteInBatches } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { PURGE_STEP_MS, RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { purgeCheckouts } from "#lib/features/billing/checkout.ts";
import { purgePaymentCustomers } from "#lib/features/billing/subscriptions.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { purgeLinkChecks } from "#lib/features/links/checks.ts";
import { purgePins } from "#lib/features/pins/retention.ts";
import { purgeEvents } from "#lib/features/realtime/events.ts";
import { purgeImports } from "#lib/features/spreadsheets/erasure.ts";

type RetentionCtx = Ctx<"payments" | "storage">;

/** Ends after about `maxMs`, even if not everything is deleted. @returns how many */
type Deletion = (ctx: RetentionCtx, maxMs?: number) => Promise<number>;

interface Rows {
  table: PgTable;
  /** Without it, small tables are deleted in one statement. */
  key?: PgColumn;
  where: (before: Date) => SQL | undefined;
  batch?: number;
}

const rows =
  (afterMs: number, { table, key, where, batch }: Rows): Deletion =>
  async (ctx, maxMs = PURGE_STEP_MS) => {
    const isOld = where(addMs(ctx.now(), -afterMs));
    if (!key) return (await ctx.db.delete(table).where(isOld)).count;
    return deleteInBatches(ctx.db, { table, key, where: isOld, maxMs, ...(batch && { batch }) });
  };

/** Retention periods are in `lib/core/retention.ts`. */
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
  "auth-challenges": rows(RETENTION_MS.authChallenge, {
    table: authChallenges,
    key: authChallenges.tokenHash,
    where: (before) => lte(authChallenges.expiresAt, before),
  }),
  "security-events": rows(RETENTION_MS.securityEvent, {
    table: securityEvents,
    key: securityEvents.id,
    where: (before) => lte(securityEvents.createdAt, before),
  }),
  // Deletes their uses too.
  "api-keys": rows(RETENTION_MS.apiKey, {
    table: apiKeys,
    key: apiKeys.id,
    where: (before) => or(lte(apiKeys.revokedAt, before), lte(apiKeys.expiresAt, before)),
  }),
  "api-key-uses": rows(RETENTION_MS.apiKeyUse, {
    table: apiKeyUses,
    where: (before) => lte(apiKeyUses.hour, before),
  }),
  "api-key-spending": rows(RETENTION_MS.apiKeySpending, {
    table: apiKeySpending,
    where: (before) => lte(apiKeySpending.day, before.toISOString().slice(0, 10)),
  }),
  "api-writes": rows(RETENTION_MS.apiWrite, {
    table: apiWrites,
    where: (before) => lte(apiWrites.createdAt, before),
  }),
  "app-consents": rows(RETENTION_MS.appConsent, {
    table: oauthCodes,
    key: oauthCodes.codeHash,
    where: (before) => lte(oauthCodes.expiresAt, before),
  }),
  "oauth-clients": rows(RETENTION_MS.oauthClient, {
    table: oauthClients,
    key: oauthClients.id,
    where: (before) =>
      and(
        lte(oauthClients.lastUsedAt, before),
        sql`not exists (select 1 from ${apiKeys} where client_id = ${oauthClients.id})`,
        sql`not exists (select 1 from ${oauthCodes} where client_id = ${oauthClients.id})`,
      ),
  }),
  states: rows(RETENTION_MS.consent, {
    table: oauthStates,
    key: oauthStates.stateHash,
    where: (before) => lte(oauthStates.expiresAt, before),
  }),
  // At the earliest when the month after the claimed one is over.
  "free-allowance-claims": rows(RETENTION_MS.freeAllowanceClaim, {
    table: freeAllowanceClaims,
    key: freeAllowanceClaims.accountHash,
    where: (before) => lte(freeAllowanceClaims.claimedAt, before),
  }),
  emails: rows(RETENTION_MS.email, {
    table: emailOutbox,
    key: emailOutbox.id,
    where: (before) => lte(emailOutbox.createdAt, before),
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
  // Deletes their tasks too; the drafts and the ledger remain.
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
  "page-readings": rows(RETENTION_MS.pageReading, {
    table: pageReadings,
    key: pageReadings.urlKey,
    where: (before) => lte(pageReadings.readAt, before),
  }),
  "page-proposals": rows(RETENTION_MS.pageProposal, {
    table: pageProposals,
    key: pageProposals.id,
    where: (before) => lte(pageProposals.foundAt, before),
  }),
  // Deletes their deliveries and attempts too.
  "webhook-messages": rows(RETENTION_MS.webhookMessage, {
    table: webhookMessages,
    key: webhookMessages.id,
    where: (before) => lte(webhookMessages.createdAt, before),
    batch: 200,
  }),
  "rate-limits": rows(RETENTION_MS.rateLimit, {
    table: rateLimits,
    key: rateLimits.key,
    where: (before) => lte(rateLimits.endsAt, before),
    batch: 5_000,
  }),
  // Those of a site are deleted by its next request.
  "site-requests": rows(RETENTION_MS.rateLimit, {
    table: siteRequests,
    key: siteRequests.id,
    where: (before) => lte(siteRequests.at, before),
    batch: 5_000,
  }),
  // The very first row says since when uptime is recorded.
  minutes: rows(RETENTION_MS.healthMinute, {
    table: healthMinutes,
    key: healthMinutes.minute,
    where: (before) =>
      and(lt(healthMinutes.minute, before), gt(healthMinutes.minute, sql`(select min(minute) from ${healthMinutes})`)),
    batch: 5_000,
  }),
  // The payments recorded from them stay.
  "payment-events": rows(RETENTION_MS.paymentEvent, {
    table: paymentEvents,
    key: paymentEvents.eventId,
    where: (before) => and(isNotNull(paymentEvents.appliedAt), lte(paymentEvents.receivedAt, before)),
  }),
  imports: purgeImports,
  pins: purgePins,
  images: purgeImages,
  "link-checks": purgeLinkChecks,
  events: purgeEvents,
  payers: purgePaymentCustomers,
  checkouts: purgeCheckouts,
} satisfies Record<string, Deletion>;

export type RetentionRule = keyof typeof RETENTION_RULES;

export const RETENTION_RULE_NAMES = Object.keys(RETENTION_RULES) as RetentionRule[];

/** One step of a rule. `hasMore`: it used up its time, so another step must follow. */
export const applyRetentionRule = async (
  ctx: RetentionCtx,
  { rule, maxMs = PURGE_STEP_MS }: { rule: RetentionRule; maxMs?: number },
): Promise<{ deleted: number; hasMore: boolean }> => {
  const deleteOld: Deletion = RETENTION_RULES[rule];
  const startedMs = performance.now();
  const deleted = await deleteOld(ctx, maxMs);
  return { deleted, hasMore: deleted > 0 && performance.now() - startedMs >= maxMs };
};
