import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { emailVerifications, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { ANSWERS } from "./answers.ts";
import { RESEND_PAUSE_MS, VERIFICATION_LIFE_MS, VERIFICATION_PATH } from "./constants.ts";
import { hashPassword } from "./passwords.ts";
import { uniqueKey } from "./policy.ts";
import { findUser } from "./queries.ts";
import type { RegisterInput, VerifyEmailInput } from "./schema.ts";
import { readSessionUser } from "./sessions.ts";
import { sendMail } from "./users.ts";

const takenFields = (rows: { emailKey: string; usernameKey: string }[], emailKey: string, usernameKey: string) => ({
  ...(rows.some((row) => row.usernameKey === usernameKey) && { username: [ANSWERS.usernameTaken] }),
  ...(rows.some((row) => row.emailKey === emailKey) && { email: [ANSWERS.emailTaken] }),
});

/**
 * Creates a user and asks for the verification mail (R-REG-13, R-REG-17, A-10, A-11).
 * @throws AppError `invalid` with `{field: [text]}` when username or mail address is taken.
 */
export const registerUser = async (
  ctx: Ctx<"jobs">,
  input: RegisterInput,
): Promise<{ message: string; userId: UserId }> => {
  const emailKey = uniqueKey(input.email);
  const usernameKey = uniqueKey(input.username);
  const passwordHash = await hashPassword(input.password);
  const userId = ctx.newId("user");
  await inTransaction(ctx, async (tx) => {
    const created = await tx.db
      .insert(users)
      .values({
        id: userId,
        email: input.email,
        emailKey,
        username: input.username,
        usernameKey,
        firstName: input.firstName,
        lastName: input.lastName,
        passwordHash,
        createdAt: tx.now(),
      })
      .onConflictDoNothing()
      .returning({ id: users.id });
    if (created.length > 0) return;
    const rows = await tx.db.query.users.findMany({
      columns: { emailKey: true, usernameKey: true },
      where: (row, { eq, or }) => or(eq(row.emailKey, emailKey), eq(row.usernameKey, usernameKey)),
    });
    throw new AppError("invalid", { fields: takenFields(rows, emailKey, usernameKey) });
  });
  ctx.log.set({ user_id: userId });
  await requestVerification(ctx, { userId });
  return { message: ANSWERS.registered, userId };
};

type VerifyEmailOutcome = { kind: "verified" } | { kind: "invalid_link" };

/**
 * Marks the address of a verification link as confirmed. Single use; the second use of a used link fails. The
 * user's row is locked before the link's, as wherever both are written.
 */
export const verifyEmail = (ctx: Ctx, input: VerifyEmailInput): Promise<VerifyEmailOutcome> =>
  inTransaction(ctx, async (tx) => {
    const isLiving = and(
      eq(emailVerifications.tokenHash, sha256(input.token)),
      isNull(emailVerifications.usedAt),
      gt(emailVerifications.expiresAt, tx.now()),
    );
    const [link] = await tx.db.select().from(emailVerifications).where(isLiving);
    if (!link) return { kind: "invalid_link" };
    await tx.db.select({ id: users.id }).from(users).where(eq(users.id, link.userId)).for("no key update");
    const used = await tx.db.update(emailVerifications).set({ usedAt: tx.now() }).where(isLiving);
    if (used.count === 0) return { kind: "invalid_link" };
    const verified = await tx.db
      .update(users)
      .set({ emailVerifiedAt: tx.now() })
      .where(and(eq(users.id, link.userId), eq(users.emailKey, link.emailKey)))
      .returning({ id: users.id });
    return verified.length > 0 ? { kind: "verified" } : { kind: "invalid_link" };
  });

/**
 * Asks the durable engine to send a verification mail; the event's id lets one through per calendar minute.
 * An engine that does not answer must not undo a registration: the banner offers to send it again.
 */
const requestVerification = async (ctx: Ctx<"jobs">, { userId }: { userId: UserId }): Promise<boolean> => {
  const requestKey = String(Math.floor(ctx.now().getTime() / RESEND_PAUSE_MS));
  try {
    await ctx.jobs.send([
      {
        name: "identity/verification.requested",
        id: `verification:${userId}:${requestKey}`,
        data: { userId, requestKey },
      },
    ]);
    return true;
  } catch (error) {
    ctx.log.set({ verification_problem: messageOf(error) });
    return false;
  }
};

/**
 * Sends the verification mail again, unless one went out within the last minute.
 * @throws AppError `wrong_state` when the address is confirmed, `provider_unavailable` when the engine does not answer.
 */
export const resendVerification = async (ctx: Ctx<"jobs">): Promise<{ message: string }> => {
  const user = await readSessionUser(ctx);
  if (user.emailVerified) throw new AppError("wrong_state", { text: ANSWERS.alreadyVerified });
  const [recent] = await ctx.db
    .select({ at: emailVerifications.createdAt })
    .from(emailVerifications)
    .where(
      and(eq(emailVerifications.userId, user.id), gt(emailVerifications.createdAt, addMs(ctx.now(), -RESEND_PAUSE_MS))),
    )
    .limit(1);
  if (recent) return { message: ANSWERS.justSent };
  if (!(await requestVerification(ctx, { userId: user.id }))) {
    throw new AppError("provider_unavailable", { text: ANSWERS.notSent });
  }
  return { message: ANSWERS.sentAgain };
};

/**
 * Sends a verification mail. The token follows from the request's key and a secret, so that a step that
 * runs twice sends the same link twice and never two different ones. Returns false when nothing is left to verify.
 */
export const sendVerification = async (
  ctx: Ctx<"mail">,
  input: { userId: UserId; requestKey: string },
): Promise<boolean> => {
  const user = await findUser(ctx, input.userId);
  if (!user || user.emailVerifiedAt) return false;
  const seed = `verify:${user.id}:${user.emailKey}:${input.requestKey}`;
  const tokenHash = sha256(makeToken(ctx, seed));
  await ctx.db
    .insert(emailVerifications)
    .values({
      tokenHash,
      userId: user.id,
      emailKey: user.emailKey,
      createdAt: ctx.now(),
      expiresAt: addMs(ctx.now(), VERIFICATION_LIFE_MS),
    })
    .onConflictDoNothing();
  const link = { path: VERIFICATION_PATH, seed };
  const letter = { kind: "verification" as const, firstName: user.firstName, link };
  await sendMail(ctx, { to: user.email, letter, uniqueKey: `verification-${tokenHash.slice(0, 32)}` });
  return true;
};
