import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { isTimeZone } from "#lib/core/time.ts";

/** Keeps the user's time zone, so that times are right from the first paint (DESIGN §8). */
export const setTimeZone = async (ctx: Ctx, input: { timeZone: string }): Promise<void> => {
  if (!isTimeZone(input.timeZone)) throw new AppError("invalid", { text: "This time zone is not known." });
  await ctx.db
    .update(users)
    .set({ timeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};
