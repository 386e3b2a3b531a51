import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { findSessionUser, type SessionUser, takeSessionUser } from "./queries.ts";

/** The user of the present login. @throws AppError `unauthenticated` when the login has ended meanwhile. */
export const readSessionUser = async (ctx: Ctx): Promise<SessionUser> => {
  const { actor } = ctx;
  const user = takeSessionUser(actor) ?? (actor.kind === "user" ? await findSessionUser(ctx, actor.loginId) : null);
  if (!user) throw new AppError("unauthenticated");
  return user;
};
