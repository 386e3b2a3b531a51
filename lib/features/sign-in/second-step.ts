import "server-only";
import { eq } from "drizzle-orm";
import { passkeys } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { equalInConstantTime, signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { recordConfirmation } from "#lib/features/identity/confirmation.ts";
import { hasPassword } from "#lib/features/identity/policy.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { deliverLogin, insertLogin, type OpenedLogin, type SignedIn } from "#lib/features/identity/sessions.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { forgetFailures, takeSignInTurn } from "#lib/features/limits/shared-counts.ts";
import { hasAuthenticator, spendCode, wrongCode } from "./authenticator.ts";
import { attemptChallenge, endChallenge, openChallenge } from "./challenges.ts";
import { CONFIRMATION_METHODS, type ConfirmationMethod } from "./constants.ts";
import { MESSAGES } from "./messages.ts";
import type { CodeInput, VerifyInput } from "./schema.ts";

/** Takes a turn to sign in as this subject. @throws AppError `too_many` */
export const takeTurn = async (ctx: Ctx, subject: string): Promise<void> => {
  const waitMs = await takeSignInTurn(ctx, subject);
  if (waitMs > 0) throw new AppError("too_many", { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
};

/** Emails are counted in lowercase, so nobody can use up a user's turns by typing this one. */
const turnsOfCodes = (userId: UserId): string => `CODE ${userId}`;

/** A new password ends sign-ins that began with the old one. */
const passwordProofOf = (ctx: Ctx, { id, passwordHash }: SignedIn): string =>
  signText(ctx.settings.tokenSecret, `second-step:${id}:${passwordHash}`);

/**
 * The end of a first step (a password, another service): opens the login, or asks for a code.
 * @throws AppError `second_step_required` with `challenge`; `wrong_login` after a concurrent password change
 */
export const finishSignIn = async (
  ctx: Ctx<"jobs">,
  user: SignedIn & { emailKey: string },
  { method }: { method: string },
): Promise<OpenedLogin> => {
  if (await hasAuthenticator(ctx, user.id)) {
    const challenge = `${method} ${passwordProofOf(ctx, user)}`;
    const { token } = await openChallenge(ctx, { kind: "second_step", userId: user.id, challenge });
    throw new AppError("second_step_required", { more: { challenge: token } });
  }
  const login = await inTransaction(ctx, (tx) => insertLogin(tx, user, { method }));
  await forgetFailures(ctx, user.emailKey);
  return deliverLogin(ctx, login);
};

/** In a transaction of its own, because the refusal ends the caller's. */
const refuseCode = async (ctx: Ctx, userId: UserId): Promise<AppError> => {
  await inTransaction(ctx, (tx) => recordSecurityEvent(tx, { userId, kind: "sign_in_code_failed" }));
  return wrongCode();
};

const ended = (): AppError => new AppError("unauthenticated", { text: MESSAGES.ended });

/** @throws AppError `unauthenticated` when the sign-in has expired; `invalid` for a wrong code; `too_many` */
export const verifySecondStep = async (ctx: Ctx<"jobs">, input: VerifyInput): Promise<OpenedLogin> => {
  const cookie = ctx.actor.kind === "visitor" ? ctx.actor.secondStep : null;
  const which = { token: input.challenge ?? cookie ?? "", kind: "second_step" } as const;
  const challenge = await attemptChallenge(ctx, which);
  const user = challenge?.userId ? await findUser(ctx, challenge.userId) : null;
  const [method = "", proof = ""] = challenge?.challenge.split(" ") ?? [];
  if (!user || !equalInConstantTime(proof, passwordProofOf(ctx, user))) throw ended();
  await takeTurn(ctx, turnsOfCodes(user.id));
  const login = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, user.id);
    const kind = await spendCode(tx, { userId: user.id, code: input.code });
    if (kind === null) return null;
    if (!(await endChallenge(tx, which))) throw ended();
    return insertLogin(tx, user, { method: kind === "app" ? `${method}_code` : `${method}_recovery_code` });
  });
  if (!login) throw await refuseCode(ctx, user.id);
  await forgetFailures(ctx, user.emailKey);
  await forgetFailures(ctx, turnsOfCodes(user.id));
  ctx.log.set({ user_id: login.userId, login_id: login.loginId });
  return deliverLogin(ctx, login);
};

/** Proves again who the user is, with a code. @throws AppError `invalid` for a wrong code; `too_many` */
export const confirmWithCode = async (ctx: Ctx, { code }: CodeInput): Promise<void> => {
  const userId = requireUserId(ctx);
  await takeTurn(ctx, turnsOfCodes(userId));
  const kind = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const spent = await spendCode(tx, { userId, code });
    if (spent !== null) await recordConfirmation(tx);
    return spent;
  });
  if (kind === null) throw await refuseCode(ctx, userId);
  await forgetFailures(ctx, turnsOfCodes(userId));
};

/** How the user can confirm, the preferred way first; none for those who only sign in with another service. */
export const listConfirmationMethods = async (ctx: Ctx): Promise<ConfirmationMethod[]> => {
  const userId = requireUserId(ctx);
  const ownPasskeys = ctx.db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)).limit(1);
  const [user, [passkey], hasCodes] = await Promise.all([
    findUser(ctx, userId),
    ownPasskeys,
    hasAuthenticator(ctx, userId),
  ]);
  const can = { passkey: passkey !== undefined, password: user !== null && hasPassword(user), code: hasCodes };
  return CONFIRMATION_METHODS.filter((method) => can[method]);
};
