import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/use-access-token.ts";
import type { FiguresAnswer } from "#lib/integrations/pinterest/port.ts";
import { type CallPurpose, LIMIT_PAUSE_MS } from "./constants.ts";
import { pauseCalls } from "./pause-calls.ts";
import { type CallPlace, takeCall } from "./take-call.ts";

/** Pinterest's answer, and when it was asked; or `later`: the account's calls of this minute are used up. */
export type CallResult<T> = (FiguresAnswer<T> & { askedAt: Date }) | (CallPlace & { kind: "later" });

/**
 * Makes one call for an account's figures, when the limits allow it: the one way to them, for screens that read live
 * and for gathering. A refusal for too many calls stops all calls of the account until Pinterest allows them again.
 * The caller has proven the right to use the account, or is a job.
 * @throws AppError `reconnect_needed`, `provider_unavailable`, as `withAccessToken` does.
 */
export const callPinterest = async <T>(
  ctx: Ctx<"pinterest">,
  { accountId, purpose }: { accountId: AccountId; purpose: CallPurpose },
  call: (accessToken: string) => Promise<FiguresAnswer<T>>,
): Promise<CallResult<T>> => {
  // With a token that turns out dead the call is made twice, and both count.
  const answer = await withAccessToken(ctx, accountId, async (accessToken): Promise<CallResult<T>> => {
    const place = await takeCall(ctx, { accountId, purpose });
    if (place.kind === "later") return place;
    ctx.log.count("results_calls");
    return { ...(await call(accessToken)), askedAt: place.at };
  });
  if (answer.kind === "problem" && answer.problem.kind === "rate_limited") {
    const seconds = answer.problem.retryAfterSeconds;
    await pauseCalls(ctx, { accountId, forMs: seconds ? seconds * SECOND_MS : LIMIT_PAUSE_MS });
  }
  return answer;
};
