import "server-only";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { CONFIRMATION_LIFETIME_MS } from "./constants.ts";

/**
 * For changes that could take an account over: the user must have proved who they are in this login within the last
 * minutes, by signing in or again (decision 34). @throws AppError `confirm_identity`
 */
export const requireConfirmation = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  const since = sql`now() - make_interval(secs => ${CONFIRMATION_LIFETIME_MS / SECOND_MS})`;
  const [recent] = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(eq(logins.id, ctx.actor.loginId), isNull(logins.revokedAt), gt(logins.confirmedAt, since)));
  if (!recent) throw new AppError("confirm_identity");
};

/** The user has just proved who they are, by any of their ways to sign in. */
export const recordConfirmation = async (tx: Ctx): Promise<void> => {
  if (tx.actor.kind !== "user") throw new AppError("unauthenticated");
  await tx.db.update(logins).set({ confirmedAt: sql`now()` }).where(eq(logins.id, tx.actor.loginId));
};
