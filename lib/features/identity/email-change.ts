import "server-only";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { emailChanges, passwordResets, users } from "#db/schema/identity.ts";
import { isUniqueViolation } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { requireConfirmation } from "./confirmation.ts";
import { EMAIL_CHANGE_LIFETIME_MS, EMAIL_CHANGE_PATH, EMAIL_CHANGES_MAX } from "./constants.ts";
import { MESSAGES } from "./messages.ts";
import { uniqueKey } from "./policy.ts";
import type { ConfirmEmailChangeInput, RequestEmailChangeInput } from "./schema.ts";
import { recordSecurityEvent } from "./security-log.ts";
import { knownName } from "./users.ts";

const refuse = (text: string) => new AppError("invalid", { text, fields: { email: [text] } });

interface Change {
  user: typeof users.$inferSelect;
  email: string;
}

/** Per user and per new address, which may belong to anyone. Expects the user's row to be locked. */
const checkEmailLimits = async (tx: Ctx, { userId, email }: { userId: UserId; email: string }): Promise<void> => {
  const isRecent = gt(emailChanges.expiresAt, tx.now());
  const refuseMany = (text: string) => new AppError("too_many", { text, fields: { email: [text] } });
  const ofUser = await tx.db.$count(emailChanges, and(isRecent, eq(emailChanges.userId, userId)));
  if (ofUser >= EMAIL_CHANGES_MAX) throw refuseMany(MESSAGES.manyEmailChanges);
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`email_changes:${uniqueKey(email)}`}, 0))`);
  const isSame = sql`lower(normalize(${emailChanges.email}, nfkc)) = lower(normalize(${email}::text, nfkc))`;
  const toAddress = await tx.db.$count(emailChanges, and(isRecent, isSame));
  if (toAddress >= EMAIL_CHANGES_MAX) throw refuseMany(MESSAGES.manyToEmail);
};

const writeChange = async (tx: Ctx, { user, email }: Change): Promise<EmailId[]> => {
  const userId = user.id;
  const id = tx.newId("emailChange");
  const seed = `email-change:${id}`;
  const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), EMAIL_CHANGE_LIFETIME_MS)];
  await tx.db
    .update(emailChanges)
    .set({ endedAt: createdAt })
    .where(and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt)));
  const tokenHash = sha256(makeToken(tx, seed));
  await tx.db.insert(emailChanges).values({ id, userId, tokenHash, email, createdAt, expiresAt });
  const content = { kind: "email_change" as const, link: { path: EMAIL_CHANGE_PATH, seed } };
  const note = { kind: "email_change_asked" as const, firstName: user.firstName, newEmail: email };
  return [
    await queueEmail(tx, { userId, recipient: email, content }),
    await queueEmail(tx, { userId, recipient: user.email, content: note }),
  ];
};

/**
 * Nothing changes until the emailed link is used.
 * @throws AppError `confirm_identity`; `invalid` or `too_many` with the field
 */
export const requestEmailChange = async (
  ctx: Ctx<"jobs">,
  { email }: RequestEmailChangeInput,
): Promise<{ email: string }> => {
  const userId = requireUserId(ctx);
  const emailIds = await inTransaction(ctx, async (tx) => {
    // The lock orders this against a concurrent password change, which ends pending email changes and other logins.
    const isOpen = and(eq(users.id, userId), isNull(users.closedAt));
    const [user] = await tx.db.select().from(users).where(isOpen).for("no key update");
    if (!user) throw new AppError("unauthenticated");
    await requireConfirmation(tx);
    if (uniqueKey(email) === user.emailKey) throw refuse(MESSAGES.sameEmail);
    if ((await tx.db.$count(users, eq(users.emailKey, uniqueKey(email)))) > 0) throw refuse(MESSAGES.emailTaken);
    await checkEmailLimits(tx, { userId, email });
    await recordSecurityEvent(tx, { userId, kind: "email_change_requested", detail: email });
    return writeChange(tx, { user, email });
  });
  await requestDelivery(ctx, emailIds);
  return { email };
};

/** `taken`: another account registered with the address after the request. */
type EmailChangeOutcome = { kind: "changed"; email: string } | { kind: "taken" } | { kind: "invalid_link" };

type User = typeof users.$inferSelect;

/** The user's row is always locked first, to avoid deadlocks. */
const useLink = async (tx: Ctx, tokenHash: string): Promise<{ user: User; email: string } | null> => {
  const isActive = and(
    eq(emailChanges.tokenHash, tokenHash),
    isNull(emailChanges.endedAt),
    gt(emailChanges.expiresAt, tx.now()),
  );
  const [found] = await tx.db.select({ userId: emailChanges.userId }).from(emailChanges).where(isActive);
  if (!found) return null;
  const [user] = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.id, found.userId), isNull(users.closedAt)))
    .for("no key update");
  const [used] = await tx.db.update(emailChanges).set({ endedAt: tx.now() }).where(isActive).returning();
  return user && used ? { user, email: used.email } : null;
};

/** False when the unique index shows another owner; runs in its own savepoint. */
const claimAddress = async (tx: Ctx, user: User, email: string): Promise<boolean> => {
  const address = { email, emailKey: uniqueKey(email), emailVerifiedAt: tx.now() };
  try {
    await inTransaction(tx, async (inner) => {
      await inner.db.update(users).set(address).where(eq(users.id, user.id));
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
};

/** The new address counts as verified, and reset links sent to the old one are revoked. */
export const confirmEmailChange = async (
  ctx: Ctx<"jobs">,
  { token }: ConfirmEmailChangeInput,
): Promise<EmailChangeOutcome> => {
  const changed = await inTransaction(
    ctx,
    async (tx): Promise<{ outcome: EmailChangeOutcome; emailIds: EmailId[] }> => {
      const link = await useLink(tx, sha256(token));
      if (!link) return { outcome: { kind: "invalid_link" }, emailIds: [] };
      const { user, email } = link;
      if (!(await claimAddress(tx, user, email))) return { outcome: { kind: "taken" }, emailIds: [] };
      await tx.db
        .update(passwordResets)
        .set({ usedAt: tx.now() })
        .where(and(eq(passwordResets.userId, user.id), isNull(passwordResets.usedAt)));
      await recordSecurityEvent(tx, { userId: user.id, kind: "email_changed", detail: email });
      // The old address, which may never have been confirmed.
      const typed = { firstName: knownName(user), newEmail: user.emailVerifiedAt ? email : "" };
      const content = { kind: "email_changed" as const, ...typed };
      const emailId = await queueEmail(tx, { userId: user.id, recipient: user.email, content });
      tx.log.set({ user_id: user.id });
      return { outcome: { kind: "changed", email }, emailIds: [emailId] };
    },
  );
  await requestDelivery(ctx, changed.emailIds);
  return changed.outcome;
};

export const cancelEmailChange = async (ctx: Ctx): Promise<void> => {
  await ctx.db
    .update(emailChanges)
    .set({ endedAt: ctx.now() })
    .where(and(eq(emailChanges.userId, requireUserId(ctx)), isNull(emailChanges.endedAt)));
};
