import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { isTimeZone } from "#lib/core/time.ts";

/**
 * Keeps the zone in which a user wants times in every browser; null follows each browser's own again (R-SRV-06).
 * @throws AppError `invalid` for a zone that is not known.
 */
export const chooseTimeZone = async (ctx: Ctx, input: { timeZone: string | null }): Promise<void> => {
  if (input.timeZone !== null && !isTimeZone(input.timeZone)) {
    throw new AppError("invalid", { text: "This time zone is not known." });
  }
  await ctx.db
    .update(users)
    .set({ chosenTimeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};
