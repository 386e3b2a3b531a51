import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { emailVerifications, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { makeToken } from "#lib/features/email/rendering.ts";
import { RESEND_PAUSE_MS, VERIFICATION_LIFETIME_MS, VERIFICATION_PATH } from "./constants.ts";
import { refuseGuessable } from "./guessable.ts";
import { MESSAGES } from "./messages.ts";
import { hashPassword } from "./passwords.ts";
import { uniqueKey } from "./policy.ts";
import { findUser } from "./queries.ts";
import type { RegisterInput, VerifyEmailInput } from "./schema.ts";
import { readSessionUser } from "./sessions.ts";
import { sendEmail } from "./users.ts";

const takenFields = (rows: { emailKey: string; usernameKey: string }[], emailKey: string, usernameKey: string) => ({
  ...(rows.some((row) => row.usernameKey === usernameKey) && { username: [MESSAGES.usernameTaken] }),
  ...(rows.some((row) => row.emailKey === emailKey) && { email: [MESSAGES.emailTaken] }),
});

/** @throws AppError `invalid` with `{field: [text]}` for a guessable password, or a taken username or email */
export const registerUser = async (
  ctx: Ctx<"jobs">,
  input: RegisterInput,
): Promise<{ message: string; userId: UserId }> => {
  refuseGuessable(input.password, { ...input, productName: ctx.settings.productName, field: "password" });
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
  return { message: MESSAGES.registered, userId };
};

type VerifyEmailOutcome = { kind: "verified" } | { kind: "invalid_link" };

/** Links are single use. The user's row is locked first, to avoid deadlocks. */
export const verifyEmail = (ctx: Ctx, input: VerifyEmailInput): Promise<VerifyEmailOutcome> =>
  inTransaction(ctx, async (tx) => {
    const isActive = and(
      eq(emailVerifications.tokenHash, sha256(input.token)),
      isNull(emailVerifications.usedAt),
      gt(emailVerifications.expiresAt, tx.now()),
    );
    const [link] = await tx.db.select().from(emailVerifications).where(isActive);
    if (!link) return { kind: "invalid_link" };
    await tx.db.select({ id: users.id }).from(users).where(eq(users.id, link.userId)).for("no key update");
    const used = await tx.db.update(emailVerifications).set({ usedAt: tx.now() }).where(isActive);
    if (used.count === 0) return { kind: "invalid_link" };
    const verified = await tx.db
      .update(users)
      .set({ emailVerifiedAt: tx.now() })
      .where(and(eq(users.id, link.userId), eq(users.emailKey, link.emailKey)))
      .returning({ id: users.id });
    return verified.length > 0 ? { kind: "verified" } : { kind: "invalid_link" };
  });

/** One per minute by event id. A failed request must not undo a registration: the user can resend from the banner. */
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

/** At most one per minute. @throws AppError `wrong_state` when already verified, `provider_unavailable` */
export const resendVerification = async (ctx: Ctx<"jobs">): Promise<{ message: string }> => {
  const user = await readSessionUser(ctx);
  if (user.emailVerified) throw new AppError("wrong_state", { text: MESSAGES.alreadyVerified });
  const [recent] = await ctx.db
    .select({ at: emailVerifications.createdAt })
    .from(emailVerifications)
    .where(
      and(eq(emailVerifications.userId, user.id), gt(emailVerifications.createdAt, addMs(ctx.now(), -RESEND_PAUSE_MS))),
    )
    .limit(1);
  if (recent) return { message: MESSAGES.justSent };
  if (!(await requestVerification(ctx, { userId: user.id }))) {
    throw new AppError("provider_unavailable", { text: MESSAGES.notSent });
  }
  return { message: MESSAGES.sentAgain };
};

/** The token is derived, so a repeated step sends the same link. @returns false when nothing is left to verify */
export const sendVerification = async (
  ctx: Ctx<"email">,
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
      expiresAt: addMs(ctx.now(), VERIFICATION_LIFETIME_MS),
    })
    .onConflictDoNothing();
  const link = { path: VERIFICATION_PATH, seed };
  const content = { kind: "verification" as const, link };
  await sendEmail(ctx, { to: user.email, content, uniqueKey: `verification-${tokenHash.slice(0, 32)}` });
  return true;
};
