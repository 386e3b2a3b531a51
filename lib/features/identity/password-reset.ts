import "server-only";
import { and, asc, eq, gt, isNull, lt } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { apiKeys, oauthCodes } from "#db/schema/api-keys.ts";
import { externalLogins, passkeys, passwordResets, users } from "#db/schema/identity.ts";
import { webhookDeliveries, webhookEndpoints } from "#db/schema/webhooks.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/crypto.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { forgetFailures } from "#lib/features/limits/shared-counts.ts";
import { RESEND_PAUSE_MS, RESET_LIFETIME_MS, RESET_LINKS_MAX, RESET_PATH, RESET_PAUSE_MS } from "./constants.ts";
import { browserProof } from "./device.ts";
import { refuseGuessable } from "./guessable.ts";
import { MESSAGES } from "./messages.ts";
import { hashPassword, replacePassword } from "./passwords.ts";
import { resetSentText, uniqueKey } from "./policy.ts";
import type { RequestResetInput, ResetPasswordInput, ResetRequested } from "./schema.ts";
import { recordSecurityEvent } from "./security-log.ts";
import { TEXTS } from "./texts.ts";
import { knownName, sendEmail } from "./users.ts";

/** No user is looked up, so timing does not reveal who is registered. @throws AppError `provider_unavailable` */
export const requestReset = async (ctx: Ctx<"jobs">, input: RequestResetInput): Promise<{ message: string }> => {
  const emailKey = uniqueKey(input.email);
  const requestKey = String(Math.floor(ctx.now().getTime() / RESEND_PAUSE_MS));
  const address = sha256(signText(ctx.settings.tokenSecret, `reset-address:${emailKey}`)).slice(0, 40);
  const data = { sealedEmail: ctx.sealer.seal(emailKey), requestKey };
  try {
    await ctx.jobs.send([{ name: "identity/reset.requested", id: `reset:${address}:${requestKey}`, data }]);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
    throw new AppError("provider_unavailable", { text: TEXTS.resetFailedToSend });
  }
  return { message: resetSentText(input.email) };
};

const invalidLink = () => new AppError("invalid", { text: TEXTS.resetFailed });

const isActive = (tokenHash: string, now: Date) =>
  and(eq(passwordResets.tokenHash, tokenHash), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, now));

/**
 * Whoever had the account before its current address was confirmed may not own that address, and was the only one told
 * what they added. @returns whether anything was removed
 */
const removeEarlierAccess = async (tx: Ctx, userId: UserId, confirmedAt: Date | null): Promise<boolean> => {
  const isEarlier = (owner: PgColumn, createdAt: PgColumn) =>
    and(eq(owner, userId), confirmedAt === null ? undefined : lt(createdAt, confirmedAt));
  const removed = await tx.db.delete(passkeys).where(isEarlier(passkeys.userId, passkeys.createdAt)).returning();
  const [google, webhooks] = [externalLogins, webhookEndpoints];
  const unlinked = await tx.db.delete(google).where(isEarlier(google.userId, google.createdAt)).returning();
  const isWorkingKey = and(isEarlier(apiKeys.userId, apiKeys.createdAt), isNull(apiKeys.revokedAt));
  const revoked = await tx.db.update(apiKeys).set({ revokedAt: tx.now() }).where(isWorkingKey).returning();
  const isActiveWebhook = and(isEarlier(webhooks.userId, webhooks.createdAt), isNull(webhooks.disabledAt));
  const disabled = await tx.db
    .select({ id: webhooks.id, url: webhooks.url })
    .from(webhooks)
    .where(isActiveWebhook)
    .orderBy(asc(webhooks.id))
    .for("no key update");
  const webhookIds = disabled.map(({ id }) => id);
  const off = { disabledAt: tx.now(), disabledFor: "user" } as const;
  await tx.db.update(webhooks).set(off).where(isAnyOf(webhooks.id, webhookIds));
  const isPending = and(isAnyOf(webhookDeliveries.endpointId, webhookIds), eq(webhookDeliveries.state, "pending"));
  const canceled = { state: "canceled", finishedAt: tx.now(), claimedUntil: null } as const;
  await tx.db.update(webhookDeliveries).set(canceled).where(isPending);
  // An app could still exchange a code for access that counts as new.
  const isOpenCode = and(eq(oauthCodes.userId, userId), isNull(oauthCodes.usedAt));
  await tx.db.update(oauthCodes).set({ usedAt: tx.now() }).where(isOpenCode);
  const events = [
    ...removed.map(({ name }) => ({ kind: "passkey_removed" as const, detail: name })),
    ...unlinked.map(({ email }) => ({ kind: "google_unlinked" as const, detail: email })),
    ...revoked.map(({ clientId, name }) => ({
      kind: clientId === null ? ("api_key_revoked" as const) : ("app_disconnected" as const),
      detail: name,
    })),
    ...disabled.map(({ url }) => ({ kind: "webhook_changed" as const, detail: new URL(url).host })),
  ];
  for (const event of events) await recordSecurityEvent(tx, { userId, ...event });
  return events.length > 0;
};

/** The user's row is locked first, to avoid deadlocks. */
const useLink = (ctx: Ctx, tokenHash: string, passwordHash: string): Promise<{ userId: UserId; emailId: EmailId }> =>
  inTransaction(ctx, async (tx) => {
    const [link] = await tx.db
      .select({ userId: passwordResets.userId })
      .from(passwordResets)
      .where(isActive(tokenHash, tx.now()));
    if (!link) throw invalidLink();
    const userId = link.userId;
    const { emailVerifiedAt } = users;
    const [user] = await tx.db.select({ emailVerifiedAt }).from(users).where(eq(users.id, userId)).for("no key update");
    const used = await tx.db.update(passwordResets).set({ usedAt: tx.now() }).where(isActive(tokenHash, tx.now()));
    if (used.count === 0 || !user) throw invalidLink();
    const hasRemovedAccess = await removeEarlierAccess(tx, userId, user.emailVerifiedAt);
    const reason = "password_reset";
    const replaced = await replacePassword(tx, { userId, passwordHash, reason, hasRemovedAccess });
    if (!replaced) throw invalidLink();
    return { userId, emailId: replaced.emailId };
  });

/**
 * Invalid links are rejected before the expensive hashing. `knownBrowser`: the proof that spares this browser from
 * waiting for its sign-in. @throws AppError `invalid` for the link or a guessable password
 */
export const resetPassword = async (
  ctx: Ctx<"jobs">,
  input: ResetPasswordInput,
): Promise<{ message: string; knownBrowser: string }> => {
  const tokenHash = sha256(input.token);
  const now = await databaseTime(ctx);
  const [found] = await ctx.db
    .select({ user: users })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(isActive(tokenHash, now));
  if (!found) throw invalidLink();
  refuseGuessable(input.newPassword, { ...found.user, productName: ctx.settings.productName, field: "new_password" });
  const passwordHash = await hashPassword(input.newPassword);
  const { userId, emailId } = await useLink(ctx, tokenHash, passwordHash);
  ctx.log.set({ user_id: userId });
  await forgetFailures(ctx, found.user.emailKey);
  await requestDelivery(ctx, [emailId]);
  return { message: MESSAGES.passwordReset, knownBrowser: browserProof(ctx, { id: userId, passwordHash }) };
};

type Link = { userId: UserId; emailKey: string; tokenHash: string };

/** False when the user is missing, has another email by now, or already has too many unused links. */
const saveLink = (ctx: Ctx, { userId, emailKey, tokenHash }: Link): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    // The lock keeps the count correct under concurrent requests.
    const [user] = await tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), eq(users.emailKey, emailKey), isNull(users.closedAt)))
      .for("no key update");
    if (!user) return false;
    const active = await tx.db
      .select({ tokenHash: passwordResets.tokenHash, createdAt: passwordResets.createdAt })
      .from(passwordResets)
      .where(
        and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, tx.now())),
      );
    if (active.some((link) => link.tokenHash === tokenHash)) return true;
    const pauseBegan = addMs(tx.now(), -RESET_PAUSE_MS);
    if (active.length >= RESET_LINKS_MAX && active.some((link) => link.createdAt > pauseBegan)) return false;
    const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), RESET_LIFETIME_MS)];
    const stored = await tx.db
      .insert(passwordResets)
      .values({ tokenHash, userId, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning({ tokenHash: passwordResets.tokenHash });
    return stored.length > 0;
  });

/** The limit keeps strangers from flooding an inbox. The token is derived, so a repeated step sends the same link. */
export const sendReset = async (ctx: Ctx<"email">, { sealedEmail, requestKey }: ResetRequested): Promise<boolean> => {
  const emailKey = ctx.sealer.open(sealedEmail);
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.emailKey, emailKey), isNull(users.closedAt)));
  if (!user) return false;
  const seed = `reset:${user.id}:${user.emailKey}:${requestKey}`;
  const tokenHash = sha256(makeToken(ctx, seed));
  if (!(await saveLink(ctx, { userId: user.id, emailKey, tokenHash }))) return false;
  const link = { path: RESET_PATH, seed };
  const content = { kind: "reset" as const, firstName: knownName(user), link };
  await sendEmail(ctx, { to: user.email, content, uniqueKey: `reset-${tokenHash.slice(0, 32)}` });
  return true;
};
