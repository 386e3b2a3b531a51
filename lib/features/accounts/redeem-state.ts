import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { oauthStates } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime, sha256 } from "#lib/core/digest.ts";
import type { UserId } from "#lib/core/ids.ts";
import { signState } from "./sign-state.ts";

/** Whose consent it was, and which account it was to connect again. */
export interface RedeemedState {
  userId: UserId;
  accountId: string | null;
}

/**
 * Takes a consent's state back, once: signature, browser, age and use are checked, and the use is marked by one
 * guarded update, so of two simultaneous callbacks one wins. Null for every state that is not good (QUALITY §2, row
 * 10); another browser does not use it up. A signed-in actor must be the one who began.
 */
export const redeemState = async (
  ctx: Ctx,
  input: { state: string; browserSecret: string },
): Promise<RedeemedState | null> => {
  const { state, browserSecret } = input;
  const nonce = state.slice(0, state.indexOf("."));
  if (!equalInConstantTime(state, signState(ctx, { nonce, browserSecret }))) return null;
  const [row] = await ctx.db
    .update(oauthStates)
    .set({ usedAt: ctx.now() })
    .where(
      and(
        eq(oauthStates.stateHash, sha256(state)),
        eq(oauthStates.browserHash, sha256(browserSecret)),
        isNull(oauthStates.usedAt),
        gt(oauthStates.expiresAt, ctx.now()),
        ctx.actor.kind === "user" ? eq(oauthStates.userId, ctx.actor.userId) : undefined,
      ),
    )
    .returning({ userId: oauthStates.userId, accountId: oauthStates.accountId });
  // The column refers to `users`, whose ids `createId` made.
  return row ? { userId: row.userId as UserId, accountId: row.accountId } : null;
};
