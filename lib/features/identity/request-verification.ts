import "server-only";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RESEND_PAUSE_MS } from "./constants.ts";

/**
 * Asks the durable engine to send a verification mail; the event's id lets one through per calendar minute.
 * An engine that does not answer must not undo a registration: the banner offers to send it again.
 */
export const requestVerification = async (ctx: Ctx<"jobs">, { userId }: { userId: UserId }): Promise<boolean> => {
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
