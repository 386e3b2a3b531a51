import "server-only";
import { and, eq, lt } from "drizzle-orm";
import { oauthStates } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { addMs } from "#lib/core/time.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { CALLBACK_PATH, CONSENT_LIFE_MS, REQUIRED_SCOPES, SECRET_SCOPES } from "./constants.ts";
import { accountLimitText, hasRoomForAccount } from "./policy.ts";
import { countConnectedAccounts, requireOwnedAccount } from "./queries.ts";
import type { StartConnectionInput } from "./schema.ts";
import { signState } from "./sign-state.ts";

/** Where to send the browser, and the secret it must bring back in a cookie (DESIGN §5.1). */
export interface StartedConnection {
  authUrl: string;
  state: string;
  browserSecret: string;
}

const requireRoom = async (ctx: Ctx, userId: UserId): Promise<void> => {
  const plan = await findPlan(ctx, userId);
  if (hasRoomForAccount(plan, await countConnectedAccounts(ctx, userId))) return;
  throw new AppError("plan_limit", { text: accountLimitText(plan) });
};

/**
 * Begins a consent (R-ACC-07): a signed state, used once within ten minutes and only by the browser that holds the
 * secret. With `accountId` that account is connected again, which takes no room on the plan.
 * @throws AppError `plan_limit` with A-89's text, `not_found`.
 */
export const startConnection = async (
  ctx: Ctx<"pinterest">,
  input: StartConnectionInput,
): Promise<StartedConnection> => {
  const userId = requireUserId(ctx);
  const account = input.accountId === undefined ? null : await requireOwnedAccount(ctx, input.accountId);
  if (!account) await requireRoom(ctx, userId);
  const browserSecret = randomToken();
  const state = signState(ctx, { nonce: randomToken(), browserSecret });
  await ctx.db.delete(oauthStates).where(and(eq(oauthStates.userId, userId), lt(oauthStates.expiresAt, ctx.now())));
  await ctx.db.insert(oauthStates).values({
    stateHash: sha256(state),
    browserHash: sha256(browserSecret),
    userId,
    accountId: account?.id ?? null,
    expiresAt: addMs(ctx.now(), CONSENT_LIFE_MS),
  });
  const authUrl = ctx.pinterest.consentUrl({
    state,
    redirectUri: `${ctx.settings.appUrl}${CALLBACK_PATH}`,
    scopes: [...REQUIRED_SCOPES, ...SECRET_SCOPES],
  });
  return { authUrl, state, browserSecret };
};
