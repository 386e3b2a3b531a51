import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { RESEND_PAUSE_MS, TEXTS } from "./constants.ts";
import { resetSentText, uniqueKey } from "./policy.ts";
import type { RequestResetInput } from "./schema.ts";

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
