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

/** Rows of one table with any of these times before the period. */
const older = (
  afterMs: number,
  times: readonly [PgColumn, ...PgColumn[]],
  options: Omit<Rows, "table" | "where"> = {},
) => rows(afterMs, { ...options, table: times[0].table, where: (before) => or(...times.map((at) => lte(at, before))) });

/** Retention periods are in `lib/core/retention.ts`. */
export const RETENTION_RULES = {
  logins: older(RETENTION_MS.login, [logins.revokedAt, logins.expiresAt], { key: logins.id }),
  verifications: older(RETENTION_MS.verification, [emailVerifications.usedAt, emailVerifications.expiresAt], {
    key: emailVerifications.tokenHash,
  }),
  resets: older(RETENTION_MS.passwordReset, [passwordResets.usedAt, passwordResets.expiresAt], {
    key: passwordResets.tokenHash,
  }),
  "email-changes": older(RETENTION_MS.emailChange, [emailChanges.endedAt, emailChanges.expiresAt], {
    key: emailChanges.id,
  }),
  "auth-challenges": older(RETENTION_MS.authChallenge, [authChallenges.expiresAt], { key: authChallenges.tokenHash }),
  "security-events": older(RETENTION_MS.securityEvent, [securityEvents.createdAt], { key: securityEvents.id }),
  // Deletes their uses too.
  "api-keys": older(RETENTION_MS.apiKey, [apiKeys.revokedAt, apiKeys.expiresAt], { key: apiKeys.id }),
  "api-key-uses": older(RETENTION_MS.apiKeyUse, [apiKeyUses.hour]),
  "api-key-spending": rows(RETENTION_MS.apiKeySpending, {
    table: apiKeySpending,
    where: (before) => lte(apiKeySpending.day, before.toISOString().slice(0, 10)),
  }),
  "api-writes": older(RETENTION_MS.apiWrite, [apiWrites.createdAt]),
  "app-consents": older(RETENTION_MS.appConsent, [oauthCodes.expiresAt], { key: oauthCodes.codeHash }),
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
  states: older(RETENTION_MS.consent, [oauthStates.expiresAt], { key: oauthStates.stateHash }),
  // At the earliest when the month after the claimed one is over.
  "free-allowance-claims": older(RETENTION_MS.freeAllowanceClaim, [freeAllowanceClaims.claimedAt], {
    key: freeAllowanceClaims.accountHash,
  }),
  emails: older(RETENTION_MS.email, [emailOutbox.createdAt], { key: emailOutbox.id }),
  "digest-entries": older(RETENTION_MS.digestEntry, [digestEntries.occurredAt]),
  messages: older(RETENTION_MS.contactMessage, [contactMessages.createdAt], { key: contactMessages.id }),
  // Deletes their tasks too; the drafts and the ledger remain.
  groups: older(RETENTION_MS.finishedGroup, [generationGroups.finishedAt], { key: generationGroups.id, batch: 100 }),
  videos: older(RETENTION_MS.deletedVideo, [savedVideos.deletedAt], { key: savedVideos.id }),
  submissions: older(RETENTION_MS.submission, [bulkSubmissions.createdAt]),
  "page-readings": older(RETENTION_MS.pageReading, [pageReadings.readAt], { key: pageReadings.urlKey }),
  "page-proposals": older(RETENTION_MS.pageProposal, [pageProposals.foundAt], { key: pageProposals.id }),
  // Deletes their deliveries and attempts too.
  "webhook-messages": older(RETENTION_MS.webhookMessage, [webhookMessages.createdAt], {
    key: webhookMessages.id,
    batch: 200,
  }),
  "rate-limits": older(RETENTION_MS.rateLimit, [rateLimits.endsAt], { key: rateLimits.key, batch: 5_000 }),
  // Those of a site are deleted by its next request.
  "site-requests": older(RETENTION_MS.rateLimit, [siteRequests.at], { key: siteRequests.id, batch: 5_000 }),
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
