import "server-only";
import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { apiKeys, apiKeyUses } from "#db/schema/api-keys.ts";
import { paymentAdjustments, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { brandKits, brandVoices } from "#db/schema/branding.ts";
import { postingSlots } from "#db/schema/calendar.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { creditLines, creditTransfers } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { authenticators, emailChanges, externalLogins, logins, passkeys, securityEvents } from "#db/schema/identity.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { keywordLists, savedKeywords } from "#db/schema/keywords.ts";
import { pins } from "#db/schema/pins.ts";
import { accountPaces, planOverrides } from "#db/schema/planning.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { imageRights, pageProposals, siteWatches } from "#db/schema/sites.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { ApiKeyId, UserId } from "#lib/core/ids.ts";
import { USES_EXPORTED_MAX } from "#lib/features/api-keys/constants.ts";
import { findVideos as findPinVideos, findSlides, isVisible } from "#lib/features/pins/queries.ts";
import { isNotDeleted } from "#lib/features/videos/queries.ts";
import { EXPORT_PAGE } from "./schema.ts";

export type RowOf<F extends (...args: never[]) => PromiseLike<unknown[]>> = Awaited<ReturnType<F>>[number];

// Pages of a user's data in id order, which is chronological. Each page is a separate read, so a slow download holds no
// transaction open.

export const findLogins = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(logins)
    .where(and(eq(logins.userId, userId), gt(logins.id, afterId)))
    .orderBy(asc(logins.id))
    .limit(EXPORT_PAGE);

/** One at most. */
export const findAuthenticators = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({ id: authenticators.userId, confirmedAt: authenticators.confirmedAt })
    .from(authenticators)
    .where(
      and(
        eq(authenticators.userId, userId),
        gt(authenticators.userId, afterId as UserId),
        isNotNull(authenticators.confirmedAt),
      ),
    );

export const findExternalLogins = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({ id: externalLogins.subject, email: externalLogins.email, createdAt: externalLogins.createdAt })
    .from(externalLogins)
    .where(and(eq(externalLogins.userId, userId), gt(externalLogins.subject, afterId)))
    .orderBy(asc(externalLogins.subject));

export const findPasskeys = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), gt(passkeys.id, afterId)))
    .orderBy(asc(passkeys.id))
    .limit(EXPORT_PAGE);

export const findApiKeys = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({
      ...getTableColumns(apiKeys),
      uses: sql<Record<string, unknown>[]>`(
        select coalesce(json_agg(json_build_object('call', u.call, 'status', u.status, 'network', u.network,
          'calls', u.calls, 'last_at', u.last_at) order by u.last_at desc), '[]')
        from (select * from ${apiKeyUses} one where one.key_id = ${apiKeys.id}
          order by one.last_at desc limit ${USES_EXPORTED_MAX}) u)`,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), gt(apiKeys.id, afterId as ApiKeyId)))
    .orderBy(asc(apiKeys.id))
    .limit(EXPORT_PAGE);

export const findSecurityEvents = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(securityEvents)
    .where(and(eq(securityEvents.userId, userId), gt(securityEvents.id, afterId)))
    .orderBy(asc(securityEvents.id))
    .limit(EXPORT_PAGE);

export const findEmailChanges = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, userId), gt(emailChanges.id, afterId)))
    .orderBy(asc(emailChanges.id))
    .limit(EXPORT_PAGE);

export const findAccounts = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({
      ...getTableColumns(pinterestAccounts),
      slots: sql<{ weekday: number; minute: number }[]>`(
        select coalesce(json_agg(json_build_object('weekday', s.weekday, 'minute', s.minute)
          order by s.weekday, s.minute), '[]')
        from ${postingSlots} s where s.account_id = ${pinterestAccounts.id})`,
    })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.userId, userId), gt(pinterestAccounts.id, afterId)))
    .orderBy(asc(pinterestAccounts.id))
    .limit(EXPORT_PAGE);

export const findBrandKits = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const rows = await ctx.db
    .select({ kit: brandKits })
    .from(brandKits)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, brandKits.accountId))
    .where(and(eq(pinterestAccounts.userId, userId), gt(brandKits.accountId, afterId)))
    .orderBy(asc(brandKits.accountId))
    .limit(EXPORT_PAGE);
  return rows.map(({ kit }) => ({ ...kit, id: kit.accountId }));
};

export const findBrandVoices = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const rows = await ctx.db
    .select({ voice: brandVoices })
    .from(brandVoices)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, brandVoices.accountId))
    .where(and(eq(pinterestAccounts.userId, userId), gt(brandVoices.accountId, afterId)))
    .orderBy(asc(brandVoices.accountId))
    .limit(EXPORT_PAGE);
  return rows.map(({ voice }) => ({ ...voice, id: voice.accountId }));
};

export const findPaces = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const rows = await ctx.db
    .select({ pace: accountPaces })
    .from(accountPaces)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, accountPaces.accountId))
    .where(and(eq(pinterestAccounts.userId, userId), gt(accountPaces.accountId, afterId)))
    .orderBy(asc(accountPaces.accountId))
    .limit(EXPORT_PAGE);
  return rows.map(({ pace }) => ({ ...pace, id: pace.accountId }));
};

export const findPlanOverrides = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const id = sql<string>`${planOverrides.batchId} || ':' || ${planOverrides.rule}`;
  const rows = await ctx.db
    .select({ id, override: planOverrides })
    .from(planOverrides)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, planOverrides.accountId))
    .where(and(eq(pinterestAccounts.userId, userId), gt(id, afterId)))
    .orderBy(asc(id))
    .limit(EXPORT_PAGE);
  return rows.map((row) => ({ ...row.override, id: row.id }));
};

export const findGroups = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const groups = await ctx.db
    .select()
    .from(generationGroups)
    .where(and(eq(generationGroups.userId, userId), gt(generationGroups.id, afterId)))
    .orderBy(asc(generationGroups.id))
    .limit(EXPORT_PAGE / 10);
  const ids = groups.map(({ id }) => id);
  const tasks = await ctx.db
    .select()
    .from(generationTasks)
    .where(isAnyOf(generationTasks.groupId, ids))
    .orderBy(asc(generationTasks.position));
  const byGroup = Map.groupBy(tasks, ({ groupId }) => groupId);
  return groups.map((group) => ({ ...group, tasks: byGroup.get(group.id) ?? [] }));
};

export const findPins = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const accounts = ctx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.userId, userId));
  const rows = await ctx.db
    .select()
    .from(pins)
    .where(and(inArray(pins.accountId, accounts), isVisible, gt(pins.id, afterId)))
    .orderBy(asc(pins.id))
    .limit(EXPORT_PAGE);
  const ids = rows.map(({ id }) => id);
  const attempts = await ctx.db
    .select()
    .from(publishAttempts)
    .where(isAnyOf(publishAttempts.pinId, ids))
    .orderBy(asc(publishAttempts.number));
  const byPin = Map.groupBy(attempts, ({ pinId }) => pinId);
  const slides = Map.groupBy(await findSlides(ctx, ids), ({ pinId }) => pinId);
  const videos = new Map((await findPinVideos(ctx, ids)).map((video) => [video.pinId, video]));
  return rows.map((pin) => ({
    ...{ ...pin, attempts: byPin.get(pin.id) ?? [] },
    ...{ slides: slides.get(pin.id) ?? [], video: videos.get(pin.id) ?? null },
  }));
};

export const findVideos = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(savedVideos)
    .where(and(eq(savedVideos.userId, userId), isNotDeleted, gt(savedVideos.id, afterId)))
    .orderBy(asc(savedVideos.id))
    .limit(EXPORT_PAGE);

/** A list has at most 500 keywords. */
export const findKeywordLists = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const lists = await ctx.db
    .select()
    .from(keywordLists)
    .where(and(eq(keywordLists.userId, userId), gt(keywordLists.id, afterId)))
    .orderBy(asc(keywordLists.id))
    .limit(EXPORT_PAGE);
  const ids = lists.map(({ id }) => id);
  const keywords = await ctx.db
    .select()
    .from(savedKeywords)
    .where(isAnyOf(savedKeywords.listId, ids))
    .orderBy(asc(savedKeywords.keywordKey));
  const byList = Map.groupBy(keywords, ({ listId }) => listId);
  return lists.map((list) => ({ ...list, keywords: byList.get(list.id) ?? [] }));
};

/** With their new pages, of which a user has at most 500. */
export const findSiteWatches = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const { id, address, name, createdAt, checkedAt } = siteWatches;
  const watches = await ctx.db
    .select({ id, address, name, createdAt, checkedAt })
    .from(siteWatches)
    .where(and(eq(siteWatches.userId, userId), gt(siteWatches.id, afterId)))
    .orderBy(asc(siteWatches.id))
    .limit(EXPORT_PAGE);
  const proposals = await ctx.db
    .select()
    .from(pageProposals)
    .where(
      isAnyOf(
        pageProposals.watchId,
        watches.map((watch) => watch.id),
      ),
    )
    .orderBy(asc(pageProposals.id));
  const byWatch = Map.groupBy(proposals, ({ watchId }) => watchId);
  return watches.map((watch) => ({ ...watch, proposals: byWatch.get(watch.id) ?? [] }));
};

export const findImageRights = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({ id: imageRights.site, confirmedAt: imageRights.confirmedAt })
    .from(imageRights)
    .where(and(eq(imageRights.userId, userId), gt(imageRights.site, afterId)))
    .orderBy(asc(imageRights.site))
    .limit(EXPORT_PAGE);

/** Rows exist until an import is done, so at most one has them. */
export const findImports = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const imports = await ctx.db
    .select()
    .from(pinImports)
    .where(and(eq(pinImports.userId, userId), gt(pinImports.id, afterId)))
    .orderBy(asc(pinImports.id))
    .limit(EXPORT_PAGE);
  const { importId, number, cells, fixes } = pinImportRows;
  const rows = await ctx.db
    .select({ importId, number, cells, fixes })
    .from(pinImportRows)
    .where(
      isAnyOf(
        importId,
        imports.map(({ id }) => id),
      ),
    )
    .orderBy(asc(number));
  const byImport = Map.groupBy(rows, (row) => row.importId);
  return imports.map((one) => ({ ...one, rows: byImport.get(one.id) ?? [] }));
};

export const findTransfers = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const transfers = await ctx.db
    .select()
    .from(creditTransfers)
    .where(and(eq(creditTransfers.userId, userId), gt(creditTransfers.id, afterId)))
    .orderBy(asc(creditTransfers.id))
    .limit(EXPORT_PAGE);
  const ids = transfers.map(({ id }) => id);
  const lines = await ctx.db.select().from(creditLines).where(isAnyOf(creditLines.transferId, ids));
  const byTransfer = Map.groupBy(lines, ({ transferId }) => transferId);
  return transfers.map((transfer) => ({ ...transfer, lines: byTransfer.get(transfer.id) ?? [] }));
};

export const findMessages = (ctx: Ctx, emailKey: string, afterId: string) =>
  ctx.db
    .select()
    .from(contactMessages)
    .where(and(eq(contactMessages.emailKey, emailKey), gt(contactMessages.id, afterId)))
    .orderBy(asc(contactMessages.id))
    .limit(EXPORT_PAGE);

export const findSubscriptions = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), gt(subscriptions.id, afterId)))
    .orderBy(asc(subscriptions.id))
    .limit(EXPORT_PAGE);

export const findPurchases = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(purchases)
    .where(and(eq(purchases.userId, userId), gt(purchases.id, afterId)))
    .orderBy(asc(purchases.id))
    .limit(EXPORT_PAGE);

export const findPayments = async (ctx: Ctx, userId: UserId, afterId: string) => {
  const rows = await ctx.db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), gt(payments.id, afterId)))
    .orderBy(asc(payments.id))
    .limit(EXPORT_PAGE);
  const ids = rows.map(({ id }) => id);
  const adjustments = await ctx.db
    .select()
    .from(paymentAdjustments)
    .where(isAnyOf(paymentAdjustments.transactionId, ids))
    .orderBy(asc(paymentAdjustments.createdAt));
  const byPayment = Map.groupBy(adjustments, ({ transactionId }) => transactionId);
  return rows.map((payment) => ({ ...payment, adjustments: byPayment.get(payment.id) ?? [] }));
};

export const findWebhookEndpoints = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.userId, userId), gt(webhookEndpoints.id, afterId)))
    .orderBy(asc(webhookEndpoints.id))
    .limit(EXPORT_PAGE);

export const findWebhookMessages = (ctx: Ctx, userId: UserId, afterId: string) =>
  ctx.db
    .select({
      ...getTableColumns(webhookMessages),
      deliveries: sql<{ webhook_id: string; state: string; attempts: number }[]>`(
        select coalesce(json_agg(json_build_object(
          'webhook_id', d.endpoint_id, 'state', d.state, 'attempts', d.attempts) order by d.number), '[]')
        from ${webhookDeliveries} d where d.message_id = ${webhookMessages}.id)`,
    })
    .from(webhookMessages)
    .where(and(eq(webhookMessages.userId, userId), gt(webhookMessages.id, afterId)))
    .orderBy(asc(webhookMessages.id))
    .limit(EXPORT_PAGE);
