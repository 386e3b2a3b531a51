import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "./policy.ts";
import { requestVerification } from "./request-verification.ts";

/** Sends the verification mail again, at most once a minute. Tells whether the engine took the request. */
export const resendVerification = async (ctx: Ctx<"jobs">): Promise<{ message: string }> => {
  const sent = await requestVerification(ctx, { userId: requireUserId(ctx) });
  return { message: sent ? "We sent you a new link." : "The mail could not be sent just now. Please try again." };
};
