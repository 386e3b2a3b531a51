import "server-only";
import { and, eq, gt } from "drizzle-orm";
import { emailVerifications } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { RESEND_PAUSE_MS, TEXTS } from "./constants.ts";
import { readSessionUser } from "./read-session-user.ts";
import { requestVerification } from "./request-verification.ts";

/**
 * Sends the verification mail again, unless one went out within the last minute.
 * @throws AppError `wrong_state` when the address is confirmed, `provider_unavailable` when the engine does not answer.
 */
export const resendVerification = async (ctx: Ctx<"jobs">): Promise<{ message: string }> => {
  const user = await readSessionUser(ctx);
  if (user.emailVerified) throw new AppError("wrong_state", { text: TEXTS.alreadyVerified });
  const [recent] = await ctx.db
    .select({ at: emailVerifications.createdAt })
    .from(emailVerifications)
    .where(
      and(eq(emailVerifications.userId, user.id), gt(emailVerifications.createdAt, addMs(ctx.now(), -RESEND_PAUSE_MS))),
    )
    .limit(1);
  if (recent) return { message: TEXTS.justSent };
  if (!(await requestVerification(ctx, { userId: user.id }))) {
    throw new AppError("provider_unavailable", { text: TEXTS.notSent });
  }
  return { message: TEXTS.sentAgain };
};
