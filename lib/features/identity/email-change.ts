import "server-only";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { emailChanges, passwordResets, users } from "#db/schema/identity.ts";
import { isTaken } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { ANSWERS } from "./answers.ts";
import { EMAIL_CHANGE_LIFE_MS, EMAIL_CHANGE_PATH, EMAIL_CHANGES_MAX } from "./constants.ts";
import { confirmPassword } from "./passwords.ts";
import { uniqueKey } from "./policy.ts";
import type { ConfirmEmailChangeInput, RequestEmailChangeInput } from "./schema.ts";

const refuse = (text: string) => new AppError("invalid", { text, fields: { email: [text] } });

interface Change {
  userId: UserId;
  firstName: string;
  oldEmail: string;
  email: string;
}

/**
 * Refuses what would be one mail too many within a link's life, for this user or for this address: the address is
 * anybody's. Whoever writes to one address counts after the other; the user's row is locked by now.
 */
const boundMails = async (tx: Ctx, { userId, email }: { userId: UserId; email: string }): Promise<void> => {
  const isRecent = gt(emailChanges.expiresAt, tx.now());
  const refuseMany = (text: string) => new AppError("too_many", { text, fields: { email: [text] } });
  const ofUser = await tx.db.$count(emailChanges, and(isRecent, eq(emailChanges.userId, userId)));
  if (ofUser >= EMAIL_CHANGES_MAX) throw refuseMany(ANSWERS.manyEmailChanges);
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`email_changes:${uniqueKey(email)}`}, 0))`);
  const isSame = sql`lower(normalize(${emailChanges.email}, nfkc)) = lower(normalize(${email}::text, nfkc))`;
  const toAddress = await tx.db.$count(emailChanges, and(isRecent, isSame));
  if (toAddress >= EMAIL_CHANGES_MAX) throw refuseMany(ANSWERS.manyToEmail);
};

/** Writes the change and the mails to both addresses; an earlier change that waits is over. */
const writeChange = async (tx: Ctx, { userId, firstName, oldEmail, email }: Change): Promise<LetterId[]> => {
  const id = tx.newId("emailChange");
  const seed = `email-change:${id}`;
  const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), EMAIL_CHANGE_LIFE_MS)];
  await tx.db
    .update(emailChanges)
    .set({ endedAt: createdAt })
    .where(and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt)));
  const tokenHash = sha256(makeToken(tx, seed));
  await tx.db.insert(emailChanges).values({ id, userId, tokenHash, email, createdAt, expiresAt });
  const letter = { kind: "email_change" as const, firstName, link: { path: EMAIL_CHANGE_PATH, seed } };
  const note = { kind: "email_change_asked" as const, firstName, newEmail: email };
  return [
    await postLetter(tx, { userId, recipient: email, letter }),
    await postLetter(tx, { userId, recipient: oldEmail, letter: note }),
  ];
};

/**
 * Begins a change of the actor's mail address: a link goes to the new one, and only its use changes anything. The
 * old one is told at once, while a new password can still stop it. That an address is taken is said here as it is when
 * registering; asking needs the password, and is counted. No more than {@link EMAIL_CHANGES_MAX} links a day come of
 * it for one user, nor for one new address.
 * @throws AppError `invalid` or `too_many` with the field.
 */
export const requestEmailChange = async (
  ctx: Ctx<"jobs">,
  { email, password }: RequestEmailChangeInput,
): Promise<{ email: string }> => {
  const userId = requireUserId(ctx);
  const { firstName, emailKey, passwordHash } = await confirmPassword(ctx, { password, field: "password" });
  if (uniqueKey(email) === emailKey) throw refuse(ANSWERS.sameEmail);
  const letterIds = await inTransaction(ctx, async (tx) => {
    // Locked: a change of password that comes meanwhile ends this, or comes first and it is not begun.
    const isSame = and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.closedAt));
    const [user] = await tx.db.select({ email: users.email }).from(users).where(isSame).for("no key update");
    if (!user) throw new AppError("wrong_state");
    if ((await tx.db.$count(users, eq(users.emailKey, uniqueKey(email)))) > 0) throw refuse(ANSWERS.emailTaken);
    await boundMails(tx, { userId, email });
    return writeChange(tx, { userId, firstName, oldEmail: user.email, email });
  });
  await announceLetters(ctx, letterIds);
  return { email };
};

/** `taken`: somebody registered with that address since it was asked for. */
type EmailChangeOutcome = { kind: "changed"; email: string } | { kind: "taken" } | { kind: "invalid_link" };

type User = typeof users.$inferSelect;

/** Locks the user of a link that may still be used, then uses it up: the user comes first everywhere. */
const useLink = async (tx: Ctx, tokenHash: string): Promise<{ user: User; email: string } | null> => {
  const isLiving = and(
    eq(emailChanges.tokenHash, tokenHash),
    isNull(emailChanges.endedAt),
    gt(emailChanges.expiresAt, tx.now()),
  );
  const [found] = await tx.db.select({ userId: emailChanges.userId }).from(emailChanges).where(isLiving);
  if (!found) return null;
  const [user] = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.id, found.userId), isNull(users.closedAt)))
    .for("no key update");
  const [used] = await tx.db.update(emailChanges).set({ endedAt: tx.now() }).where(isLiving).returning();
  return user && used ? { user, email: used.email } : null;
};

/** Writes the new address unless somebody else has it: the unique index decides, inside a savepoint of its own. */
const takeAddress = async (tx: Ctx, user: User, email: string): Promise<boolean> => {
  const address = { email, emailKey: uniqueKey(email), emailVerifiedAt: tx.now() };
  try {
    await inTransaction(tx, async (inner) => {
      await inner.db.update(users).set(address).where(eq(users.id, user.id));
    });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
};

/**
 * Changes a mail address by the link that was sent to the new one. Single use; the new address counts as confirmed. The
 * old one is told, and links for a new password that were sent there are over.
 */
export const confirmEmailChange = async (
  ctx: Ctx<"jobs">,
  { token }: ConfirmEmailChangeInput,
): Promise<EmailChangeOutcome> => {
  const changed = await inTransaction(
    ctx,
    async (tx): Promise<{ outcome: EmailChangeOutcome; letterIds: LetterId[] }> => {
      const link = await useLink(tx, sha256(token));
      if (!link) return { outcome: { kind: "invalid_link" }, letterIds: [] };
      const { user, email } = link;
      if (!(await takeAddress(tx, user, email))) return { outcome: { kind: "taken" }, letterIds: [] };
      await tx.db
        .update(passwordResets)
        .set({ usedAt: tx.now() })
        .where(and(eq(passwordResets.userId, user.id), isNull(passwordResets.usedAt)));
      const letter = { kind: "email_changed" as const, firstName: user.firstName, newEmail: email };
      // Rows of this table hold ids that `createId` made.
      const letterId = await postLetter(tx, { userId: user.id, recipient: user.email, letter });
      tx.log.set({ user_id: user.id });
      return { outcome: { kind: "changed", email }, letterIds: [letterId] };
    },
  );
  await announceLetters(ctx, changed.letterIds);
  return changed.outcome;
};

/** Ends the actor's change of address that waits to be confirmed; its link does nothing any more. */
export const cancelEmailChange = async (ctx: Ctx): Promise<void> => {
  await ctx.db
    .update(emailChanges)
    .set({ endedAt: ctx.now() })
    .where(and(eq(emailChanges.userId, requireUserId(ctx)), isNull(emailChanges.endedAt)));
};
