import "server-only";
import type { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { TEXTS } from "./constants.ts";
import { findUser } from "./queries.ts";
import { verifyPassword } from "./verify-password.ts";

/**
 * Makes sure that whoever asks knows the actor's password, not only holds their login.
 * @throws AppError `invalid` under the field's name, `unauthenticated` when the user is gone. @returns the user.
 */
export const confirmPassword = async (
  ctx: Ctx,
  { password, field }: { password: string; field: string },
): Promise<typeof users.$inferSelect> => {
  const user = await findUser(ctx, requireUserId(ctx));
  if (!user) throw new AppError("unauthenticated");
  if (await verifyPassword(password, user.passwordHash)) return user;
  throw new AppError("invalid", { text: TEXTS.wrongPassword, fields: { [field]: [TEXTS.wrongPassword] } });
};
