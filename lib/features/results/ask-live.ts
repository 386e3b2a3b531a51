import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { toProviderError } from "#lib/features/accounts/policy.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type { FiguresAnswer } from "#lib/integrations/pinterest/port.ts";
import { callPinterest } from "./call-pinterest.ts";
import { TEXTS } from "./constants.ts";

/** What Pinterest told, and when it was asked. */
export interface Told<T> {
  value: T;
  askedAt: Date;
}

/**
 * Asks Pinterest while somebody waits, within the calls that an account has in a minute.
 * @throws AppError `reconnect_needed`, `refused`, `provider_unavailable`, also where the calls are used up.
 */
export const askLive = async <T>(
  ctx: Ctx<"pinterest">,
  account: OwnedAccount,
  call: (accessToken: string) => Promise<FiguresAnswer<T>>,
): Promise<Told<T>> => {
  const answer = await callPinterest(ctx, { accountId: account.id, purpose: "screen" }, call);
  if (answer.kind === "problem") throw toProviderError(answer.problem);
  if (answer.kind === "ok") return { value: answer.value, askedAt: answer.askedAt };
  const retryAfterSeconds = Math.ceil(answer.afterMs / SECOND_MS);
  throw new AppError("provider_unavailable", { text: TEXTS.callsUsedUp, retryAfterSeconds });
};
