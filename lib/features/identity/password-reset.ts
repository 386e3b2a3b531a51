import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/crypto.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { announceLetters } from "#lib/features/email/delivery.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { ANSWERS } from "./answers.ts";
import { RESEND_PAUSE_MS, RESET_LIFE_MS, RESET_LINKS_AT_ONCE, RESET_PATH, RESET_PAUSE_MS } from "./constants.ts";
import { hashPassword, replacePassword } from "./passwords.ts";
import { resetSentText, uniqueKey } from "./policy.ts";
import type { RequestResetInput, ResetPasswordInput, ResetRequested } from "./schema.ts";
import { TEXTS } from "./texts.ts";
import { sendMail } from "./users.ts";

/**
 * Asks the durable engine for a reset mail (R-FPW-02, R-FPW-04). Nobody is looked up here: whatever the address, the
 * work, its time and the answer are the same. The event's id lets one through per address and calendar minute.
 * @throws AppError `provider_unavailable` when the engine does not answer (R-FPW-06).
 */
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

const deadLink = () => new AppError("invalid", { text: TEXTS.resetFailed });

const isLiving = (tokenHash: string, now: Date) =>
  and(eq(passwordResets.tokenHash, tokenHash), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, now));

/**
 * Uses the link up and sets the password, both or neither: of two who use it at once, one has used it. The user's row is
 * locked before the link's, as wherever both are written: two links of one user wait for each other, and never for ever.
 */
const useLink = (ctx: Ctx, tokenHash: string, passwordHash: string): Promise<{ userId: UserId; letterId: LetterId }> =>
  inTransaction(ctx, async (tx) => {
    const [link] = await tx.db
      .select({ userId: passwordResets.userId })
      .from(passwordResets)
      .where(isLiving(tokenHash, tx.now()));
    if (!link) throw deadLink();
    // Rows of this table hold the ids of users.
    const userId = link.userId;
    await tx.db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
    const used = await tx.db.update(passwordResets).set({ usedAt: tx.now() }).where(isLiving(tokenHash, tx.now()));
    if (used.count === 0) throw deadLink();
    const replaced = await replacePassword(tx, { userId, passwordHash });
    if (!replaced) throw deadLink();
    return { userId, letterId: replaced.letterId };
  });

/**
 * Sets a new password by a link from a mail (R-RPW-05, R-RPW-09): single use, one hour, and every login ends. A link
 * that is not ours costs no hashing. The owner is told by mail.
 * @throws AppError `invalid` with R-RPW-06's text for a link that is used, expired or invented.
 */
export const resetPassword = async (ctx: Ctx<"jobs">, input: ResetPasswordInput): Promise<{ message: string }> => {
  const tokenHash = sha256(input.token);
  const now = await databaseTime(ctx);
  if ((await ctx.db.$count(passwordResets, isLiving(tokenHash, now))) === 0) throw deadLink();
  const { userId, letterId } = await useLink(ctx, tokenHash, await hashPassword(input.newPassword));
  ctx.log.set({ user_id: userId });
  await announceLetters(ctx, [letterId]);
  return { message: ANSWERS.passwordReset };
};

type Link = { userId: UserId; tokenHash: string };

/** Whether this link may go out: it is new or was not used yet, and others do not crowd it. */
const keepLink = (ctx: Ctx, { userId, tokenHash }: Link): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    // One at a time for each user, so that the count holds.
    const [user] = await tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.closedAt)))
      .for("no key update");
    if (!user) return false;
    const living = await tx.db
      .select({ tokenHash: passwordResets.tokenHash, createdAt: passwordResets.createdAt })
      .from(passwordResets)
      .where(
        and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, tx.now())),
      );
    if (living.some((link) => link.tokenHash === tokenHash)) return true;
    const pauseBegan = addMs(tx.now(), -RESET_PAUSE_MS);
    if (living.length >= RESET_LINKS_AT_ONCE && living.some((link) => link.createdAt > pauseBegan)) return false;
    const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), RESET_LIFE_MS)];
    const kept = await tx.db
      .insert(passwordResets)
      .values({ tokenHash, userId, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning({ tokenHash: passwordResets.tokenHash });
    return kept.length > 0;
  });

/**
 * Sends the link for a new password to whoever has that address (R-FPW-03, R-RPW-09); to nobody, when nobody has. With
 * {@link RESET_LINKS_AT_ONCE} unused links about, the next waits until the newest is {@link RESET_PAUSE_MS} old: a
 * stranger can fill no inbox, and locks nobody out, since an owner who lost them all still gets one after the pause.
 * The token follows from the request, so that a step which runs twice sends the same link. @returns whether it was sent.
 */
export const sendReset = async (ctx: Ctx<"mail">, { sealedEmail, requestKey }: ResetRequested): Promise<boolean> => {
  const emailKey = ctx.sealer.open(sealedEmail);
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.emailKey, emailKey), isNull(users.closedAt)));
  if (!user) return false;
  const seed = `reset:${user.id}:${user.emailKey}:${requestKey}`;
  const tokenHash = sha256(makeToken(ctx, seed));
  if (!(await keepLink(ctx, { userId: user.id, tokenHash }))) return false;
  const link = { path: RESET_PATH, seed };
  const letter = { kind: "reset" as const, firstName: user.firstName, link };
  await sendMail(ctx, { to: user.email, letter, uniqueKey: `reset-${tokenHash.slice(0, 32)}` });
  return true;
};
