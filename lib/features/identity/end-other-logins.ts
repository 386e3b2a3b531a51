import "server-only";
import { and, eq, gt, isNull, ne } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";

/** Ends every login of the actor but the one that asks. @returns how many lived. */
export const endOtherLogins = async (ctx: Ctx): Promise<{ endedLogins: number }> => {
  const isOther = ctx.actor.kind === "user" ? ne(logins.id, ctx.actor.loginId) : undefined;
  const ended = await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(
      and(eq(logins.userId, requireUserId(ctx)), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now()), isOther),
    );
  return { endedLogins: ended.count };
};
