import "server-only";
import { emailVerifications } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { makeToken } from "#lib/features/letters/make-token.ts";
import { VERIFICATION_LIFE_MS, VERIFICATION_PATH } from "./constants.ts";
import { findUser } from "./queries.ts";
import { sendMail } from "./send-mail.ts";

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
