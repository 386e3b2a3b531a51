import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";

/** Ends this login: cookie and access token die with it (D7). Without a login it does nothing. */
export const logOut = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") return;
  await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, ctx.actor.loginId), isNull(logins.revokedAt)));
};
