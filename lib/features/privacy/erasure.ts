import "server-only";
import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import { weeklyEmails } from "#db/schema/analytics.ts";
import { apiKeys, apiWrites, oauthCodes } from "#db/schema/api-keys.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { imageSlots } from "#db/schema/generation.ts";
import {
  authChallenges,
  authenticators,
  emailChanges,
  emailVerifications,
  externalLogins,
  logins,
  passkeys,
  passwordResets,
  recoveryCodes,
  securityEvents,
} from "#db/schema/identity.ts";
import { keywordLists } from "#db/schema/keywords.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { erasures } from "#db/schema/privacy.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { imageRights, pageDismissals, siteWatches } from "#db/schema/sites.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { deleteInBatches } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { disconnectAll } from "#lib/features/accounts/accounts.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { deleteMetrics } from "#lib/features/analytics/stored-metrics.ts";
import { anonymizePayer, endSubscriptions } from "#lib/features/billing/subscriptions.ts";
import { markLogosForDeletion } from "#lib/features/branding/kit.ts";
import { anonymizeClaims } from "#lib/features/credits/free-allowance.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { eraseGroups } from "#lib/features/generation/groups.ts";
import { purgeErasedImages } from "#lib/features/generation/images.ts";
import { abandonTasks } from "#lib/features/generation/task-recovery.ts";
import { closeUser } from "#lib/features/identity/users.ts";
import { erasePins } from "#lib/features/pins/retention.ts";
import { markSavedUploadsForDeletion } from "#lib/features/pins/uploads.ts";
import { eraseImports } from "#lib/features/spreadsheets/erasure.ts";
import { disableAll } from "#lib/features/webhooks/endpoints.ts";
import { type ErasureRequested, SETTLE_MS, SWEEP_AFTER_MS, SWEEP_BATCH } from "./schema.ts";

const hasEmailKey = (address: SQL, emailKey: string): SQL =>
  sql`lower(normalize(trim(${address}), NFKC)) = ${emailKey}`;

const deleteMessages = async (tx: Ctx, emailKey: string): Promise<void> => {
  await tx.db.delete(contactMessages).where(eq(contactMessages.emailKey, emailKey));
  const { content, recipient } = emailOutbox;
  const kind = sql`${content} ->> 'kind'`;
  const toSupport = and(sql`${kind} = 'contact_message'`, hasEmailKey(sql`${content} ->> 'email'`, emailKey));
  const copy = and(sql`${kind} = 'contact_copy'`, hasEmailKey(sql`${recipient}`, emailKey));
  await tx.db.delete(emailOutbox).where(and(isNull(emailOutbox.userId), or(toSupport, copy)));
};

const closeAccount = async (tx: Ctx, userId: UserId): Promise<EmailId> => {
  const person = await closeUser(tx, userId);
  if (!person) throw new AppError("wrong_state");
  const accountIds = (await findOwnedAccounts(tx)).map(({ id }) => id);
  await disconnectAll(tx);
  await disableAll(tx, userId);
  await deleteMetrics(tx, { accountIds });
  await tx.db.delete(emailOutbox).where(eq(emailOutbox.userId, userId));
  // An unverified address may belong to another person, and so may its messages.
  if (person.isEmailVerified) await deleteMessages(tx, person.emailKey);
  const requestedAt = tx.now();
  const wakeAt = addMs(requestedAt, SWEEP_AFTER_MS);
  await tx.db.insert(erasures).values({ userId, requestedAt, eraseAt: addMs(requestedAt, SETTLE_MS), wakeAt });
  const content = { kind: "farewell" as const, firstName: person.isEmailVerified ? person.firstName : "" };
  // Without a user id, so that the erasure does not delete it before it is sent.
  return queueEmail(tx, { userId: null, recipient: person.email, content });
};

const requestErasure = async (ctx: Ctx<"jobs">, userId: UserId): Promise<void> => {
  try {
    await ctx.jobs.send([{ name: "privacy/erasure.requested", id: `erase:${userId}:0`, data: { userId } }]);
  } catch (error) {
    // The sweep will retry.
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

/** @throws AppError `confirm_identity`; `wrong_state` when it was deleted concurrently */
export const deleteUser = async (ctx: Ctx<"jobs">): Promise<void> => {
  const userId = requireUserId(ctx);
  const emailId = await inTransaction(ctx, (tx) => closeAccount(tx, userId));
  await requestDelivery(ctx, [emailId]);
  await requestErasure(ctx, userId);
};

type ErasureStep = { kind: "done" } | { kind: "wait"; afterMs: number };

/** Live events come last, because the other deletions create some. */
const eraseRows = async (ctx: Ctx, userId: UserId): Promise<void> => {
  const signIn = [authChallenges, authenticators, recoveryCodes, passkeys, externalLogins, securityEvents] as const;
  const own = [oauthStates, pinterestAccounts, logins, emailVerifications, passwordResets, emailChanges] as const;
  for (const table of [...signIn, ...own]) await ctx.db.delete(table).where(eq(table.userId, userId));
  for (const table of [
    oauthCodes,
    apiKeys,
    apiWrites,
    emailOutbox,
    digestEntries,
    weeklyEmails,
    imageSlots,
    bulkSubmissions,
    keywordLists,
    siteWatches,
    pageDismissals,
    imageRights,
    webhookEndpoints,
  ])
    await ctx.db.delete(table).where(eq(table.userId, userId));
  const isOfUser = eq(webhookMessages.userId, userId);
  await deleteInBatches(ctx.db, { table: webhookMessages, key: webhookMessages.id, where: isOfUser });
  await deleteInBatches(ctx.db, { table: savedVideos, key: savedVideos.id, where: eq(savedVideos.userId, userId) });
  await deleteInBatches(ctx.db, { table: liveEvents, key: liveEvents.id, where: eq(liveEvents.userId, userId) });
};

const postpone = async (ctx: Ctx, userId: UserId, eraseAt: Date): Promise<void> => {
  await ctx.db
    .update(erasures)
    .set({ eraseAt, wakeAt: addMs(eraseAt, SWEEP_AFTER_MS) })
    .where(and(eq(erasures.userId, userId), isNull(erasures.finishedAt)));
};

/** Waits for work in flight; the anonymous ledger and payments stay. Idempotent, safe to run concurrently. */
export const eraseUser = async (
  ctx: Ctx<"jobs" | "payments" | "storage">,
  { userId }: ErasureRequested,
): Promise<ErasureStep> => {
  const isOpen = and(eq(erasures.userId, userId), isNull(erasures.finishedAt));
  const [erasure] = await ctx.db.select().from(erasures).where(isOpen);
  if (!erasure) return { kind: "done" };
  const { left } = await endSubscriptions(ctx, { userId });
  const abandoned = await abandonTasks(ctx, { userId });
  const now = await databaseTime(ctx);
  const settledAt = abandoned > 0 ? addMs(now, SETTLE_MS) : now;
  const eraseAt = erasure.eraseAt > settledAt ? erasure.eraseAt : settledAt;
  await postpone(ctx, userId, eraseAt);
  if (eraseAt > now) return { kind: "wait", afterMs: msUntil(eraseAt, now) };
  // Groups before pins, and both before the accounts that they name.
  await eraseGroups(ctx, { userId });
  await eraseImports(ctx, { userId });
  await erasePins(ctx, { userId });
  await markLogosForDeletion(ctx, { userId });
  await markSavedUploadsForDeletion(ctx, { userId });
  await anonymizeClaims(ctx, { userId });
  await eraseRows(ctx, userId);
  if (!(await purgeErasedImages(ctx, { userId }))) return { kind: "wait", afterMs: 0 };
  if (left > 0) {
    // Keep the payment customer until their subscription has ended.
    await postpone(ctx, userId, addMs(now, SETTLE_MS));
    return { kind: "wait", afterMs: SETTLE_MS };
  }
  await anonymizePayer(ctx, { userId });
  await ctx.db.update(erasures).set({ finishedAt: sql`now()` }).where(isOpen);
  return { kind: "done" };
};

const claimStalledErasures = (tx: Ctx): Promise<{ userId: string; sweeps: number }[]> => {
  const stalled = tx.db
    .select({ userId: erasures.userId })
    .from(erasures)
    .where(and(isNull(erasures.finishedAt), lte(erasures.wakeAt, tx.now())))
    .orderBy(asc(erasures.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  return tx.db
    .update(erasures)
    .set({ sweeps: sql`${erasures.sweeps} + 1`, wakeAt: addMs(tx.now(), SWEEP_AFTER_MS) })
    .where(inArray(erasures.userId, stalled))
    .returning({ userId: erasures.userId, sweeps: erasures.sweeps });
};

/** @throws when the engine rejects the events; the erasures become due again later */
export const sweepErasures = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, claimStalledErasures);
  await ctx.jobs.send(
    swept.map(({ userId, sweeps }) => ({
      name: "privacy/erasure.requested" as const,
      id: `erase:${userId}:${sweeps}`,
      data: { userId },
    })),
  );
  return { sent: swept.length };
};
