import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { TEXTS } from "./constants.ts";
import type { EndLoginInput } from "./schema.ts";

/**
 * Ends one of the actor's other logins: its token and its cookie die at once.
 * @throws AppError `not_found`, the same for a foreign, absent or ended one; `wrong_state` for the one that asks.
 */
export const endLogin = async (ctx: Ctx, { loginId }: EndLoginInput): Promise<void> => {
  const userId = requireUserId(ctx);
  if (ctx.actor.kind === "user" && ctx.actor.loginId === loginId) {
    throw new AppError("wrong_state", { text: TEXTS.currentLogin });
  }
  const ended = await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, loginId), eq(logins.userId, userId), isNull(logins.revokedAt)))
    .returning({ id: logins.id });
  if (ended.length === 0) throw new AppError("not_found");
};
