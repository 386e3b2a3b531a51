import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { confirmPassword } from "./confirm-password.ts";
import { hashPassword } from "./hash-password.ts";
import { replacePassword } from "./replace-password.ts";
import type { ChangePasswordInput } from "./schema.ts";

/**
 * Changes the actor's password, who knows the present one. This login goes on (decision 15), the others end; the owner
 * is told by mail.
 * @throws AppError `invalid` with the field; `wrong_state` when the password was changed elsewhere meanwhile.
 */
export const changePassword = async (
  ctx: Ctx<"jobs">,
  input: ChangePasswordInput,
): Promise<{ endedLogins: number }> => {
  const { passwordHash: instead } = await confirmPassword(ctx, {
    password: input.currentPassword,
    field: "currentPassword",
  });
  const passwordHash = await hashPassword(input.newPassword);
  const keeps = ctx.actor.kind === "user" ? { keeps: ctx.actor.loginId } : {};
  const userId = requireUserId(ctx);
  const replaced = await inTransaction(ctx, (tx) => replacePassword(tx, { userId, passwordHash, instead, ...keeps }));
  if (!replaced) throw new AppError("wrong_state");
  await announceLetters(ctx, [replaced.letterId]);
  return { endedLogins: replaced.endedLogins };
};
