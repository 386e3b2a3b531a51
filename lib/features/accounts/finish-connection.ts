import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { CALLBACK_PATH, type ConnectionFailure } from "./constants.ts";
import { type ConnectionOutcome, missingScopes } from "./policy.ts";
import { redeemState } from "./redeem-state.ts";
import type { CallbackInput } from "./schema.ts";
import { storeConnection } from "./store-connection.ts";

const failed = (reason: ConnectionFailure): ConnectionOutcome => ({ kind: "failed", reason });

const isPassing = ({ kind }: PinterestProblem): boolean => ["unavailable", "rate_limited", "busy"].includes(kind);

const providerFailure = (ctx: Ctx, problem: PinterestProblem): ConnectionOutcome => {
  ctx.log.count(`pinterest_problem_${problem.kind}`);
  ctx.log.set({ pinterest_status: problem.httpStatus, pinterest_code: problem.providerCode });
  return failed(isPassing(problem) ? "unavailable" : "failed");
};

const connect = async (
  ctx: Ctx<"pinterest">,
  input: CallbackInput & { browserSecret: string | undefined },
): Promise<ConnectionOutcome> => {
  const { state, code, error, browserSecret } = input;
  const redeemed = state && browserSecret ? await redeemState(ctx, { state, browserSecret }) : null;
  if (error !== undefined || code === undefined) return failed("denied");
  if (!redeemed) return failed("state");
  const redirectUri = `${ctx.settings.appUrl}${CALLBACK_PATH}`;
  const exchanged = await ctx.pinterest.exchangeCode({ code, redirectUri });
  if (exchanged.kind === "problem") return providerFailure(ctx, exchanged.problem);
  const tokens = exchanged.value;
  if (missingScopes(tokens.scopes).length > 0) return failed("scopes");
  const profile = await ctx.pinterest.readProfile(tokens.accessToken);
  if (profile.kind === "problem") return providerFailure(ctx, profile.problem);
  return storeConnection(ctx, { ...redeemed, tokens, profile: profile.value });
};

/**
 * Ends a consent when Pinterest sends the browser back: takes the state, exchanges the code, checks what was
 * granted, reads whose account it is, and stores it. Every way to fail is a value; a callback with an error or
 * without a code is a denial (BRIEF §1.2).
 */
export const finishConnection = async (
  ctx: Ctx<"pinterest">,
  input: CallbackInput & { browserSecret: string | undefined },
): Promise<ConnectionOutcome> => {
  const outcome = await connect(ctx, input);
  ctx.log.set({ connection: outcome.kind === "connected" ? "connected" : outcome.reason });
  return outcome;
};
