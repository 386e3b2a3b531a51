import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { markReconnectNeeded } from "./mark-reconnect-needed.ts";
import { isDueForRefresh, toProviderError } from "./policy.ts";
import { findTokens, type StoredTokens } from "./queries.ts";
import { type RefreshOutcome, refreshTokens } from "./refresh-tokens.ts";

/** Any outcome of a call to Pinterest: those that went wrong carry a problem. */
type CallOutcome = { kind: string; problem?: PinterestProblem };

const isTokenDead = (outcome: CallOutcome): boolean => outcome.problem?.kind === "token_dead";

/** The account's tokens when they were renewed; what else happened ends the call. */
const requireRenewed = async (ctx: Ctx, dead: StoredTokens, outcome: RefreshOutcome): Promise<StoredTokens> => {
  if (outcome.kind === "renewed") return outcome.tokens;
  if (outcome.kind === "later") throw toProviderError(outcome.problem);
  await markReconnectNeeded(ctx, dead);
  throw new AppError("reconnect_needed");
};

/** Tokens fit for use. While the present access token lives, nothing that happens to its renewal disconnects. */
const requireLiveTokens = async (ctx: Ctx<"pinterest">, accountId: AccountId): Promise<StoredTokens> => {
  const tokens = await findTokens(ctx, accountId);
  if (!tokens) throw new AppError("reconnect_needed");
  if (!isDueForRefresh(tokens.accessExpiresAt, ctx.now())) return tokens;
  const isExpired = tokens.accessExpiresAt <= ctx.now();
  const outcome = await refreshTokens(ctx, tokens, { waits: isExpired });
  return outcome.kind === "renewed" || isExpired ? requireRenewed(ctx, tokens, outcome) : tokens;
};

/**
 * Makes a call to Pinterest with a live access token (R-SRV-05): renews it early, and once more when the call reports
 * `token_dead`, then repeats the call once. An outcome with `missing_scope` is handed on, and marks the account too:
 * only a new consent helps. The caller has proven the right to use the account, or is a job.
 * When this throws, the call had no effect: it was not made, or Pinterest refused the token.
 * @throws AppError `reconnect_needed` (the account is marked, or was not connected), `provider_unavailable` when a
 * needed renewal failed in passing.
 */
export const withAccessToken = async <R extends CallOutcome>(
  ctx: Ctx<"pinterest">,
  accountId: AccountId,
  call: (accessToken: string) => Promise<R>,
): Promise<R> => {
  const use = async (tokens: StoredTokens): Promise<R> => {
    const outcome = await call(ctx.sealer.open(tokens.accessTokenSealed));
    if (outcome.problem) ctx.log.count(`pinterest_problem_${outcome.problem.kind}`);
    if (outcome.problem?.kind === "missing_scope") await markReconnectNeeded(ctx, tokens);
    return outcome;
  };
  const tokens = await requireLiveTokens(ctx, accountId);
  const first = await use(tokens);
  if (!isTokenDead(first)) return first;
  const renewed = await requireRenewed(ctx, tokens, await refreshTokens(ctx, tokens, { waits: true }));
  const second = await use(renewed);
  if (!isTokenDead(second)) return second;
  await markReconnectNeeded(ctx, renewed);
  throw new AppError("reconnect_needed");
};
