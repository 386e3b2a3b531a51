import "server-only";
import { isNull } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";

/** Ends every login there is: a restored copy does not know which of them were ended since. @returns how many. */
export const endLogins = async (ctx: Ctx): Promise<number> => {
  const ended = await ctx.db.update(logins).set({ revokedAt: ctx.now() }).where(isNull(logins.revokedAt));
  return ended.count;
};
