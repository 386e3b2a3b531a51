import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { emailChanges } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";

/** Ends the actor's change of address that waits to be confirmed; its link does nothing any more. */
export const cancelEmailChange = async (ctx: Ctx): Promise<void> => {
  await ctx.db
    .update(emailChanges)
    .set({ endedAt: ctx.now() })
    .where(and(eq(emailChanges.userId, requireUserId(ctx)), isNull(emailChanges.endedAt)));
};
