import "server-only";
import { and, eq, gt } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { CONFIRMATION_LIFETIME_MS } from "./constants.ts";

/**
 * For changes that could take an account over: the user must have proved who they are in this login within the last
 * minutes, by signing in or again. @throws AppError `confirm_identity`
 */
export const requireConfirmation = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  const [recent] = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(eq(logins.id, ctx.actor.loginId), gt(logins.confirmedAt, addMs(ctx.now(), -CONFIRMATION_LIFETIME_MS))));
  if (!recent) throw new AppError("confirm_identity");
};

/** The user has just proved who they are, by any of their ways to sign in. */
export const recordConfirmation = async (tx: Ctx): Promise<void> => {
  if (tx.actor.kind !== "user") throw new AppError("unauthenticated");
  await tx.db.update(logins).set({ confirmedAt: tx.now() }).where(eq(logins.id, tx.actor.loginId));
};
