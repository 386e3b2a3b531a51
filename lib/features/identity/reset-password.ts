import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { TEXTS } from "./constants.ts";
import { hashPassword } from "./hash-password.ts";
import { replacePassword } from "./replace-password.ts";
import type { ResetPasswordInput } from "./schema.ts";

const deadLink = () => new AppError("invalid", { text: TEXTS.resetFailed });

const isLiving = (tokenHash: string, now: Date) =>
  and(eq(passwordResets.tokenHash, tokenHash), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, now));

/**
 * Uses the link up and sets the password, both or neither: of two who use it at once, one has used it. The user's row is
 * locked before the link's, as wherever both are written: two links of one user wait for each other, and never for ever.
 */
const useLink = (ctx: Ctx, tokenHash: string, passwordHash: string): Promise<{ userId: UserId; letterId: LetterId }> =>
  inTransaction(ctx, async (tx) => {
    const [link] = await tx.db
      .select({ userId: passwordResets.userId })
      .from(passwordResets)
      .where(isLiving(tokenHash, tx.now()));
    if (!link) throw deadLink();
    // Rows of this table hold the ids of users.
    const userId = link.userId as UserId;
    await tx.db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
    const used = await tx.db.update(passwordResets).set({ usedAt: tx.now() }).where(isLiving(tokenHash, tx.now()));
    if (used.count === 0) throw deadLink();
    const replaced = await replacePassword(tx, { userId, passwordHash });
    if (!replaced) throw deadLink();
    return { userId, letterId: replaced.letterId };
  });

/**
 * Sets a new password by a link from a mail (R-RPW-05, R-RPW-09): single use, one hour, and every login ends. A link
 * that is not ours costs no hashing. The owner is told by mail.
 * @throws AppError `invalid` with R-RPW-06's text for a link that is used, expired or invented.
 */
export const resetPassword = async (ctx: Ctx<"jobs">, input: ResetPasswordInput): Promise<{ message: string }> => {
  const tokenHash = sha256(input.token);
  const now = await databaseTime(ctx);
  if ((await ctx.db.$count(passwordResets, isLiving(tokenHash, now))) === 0) throw deadLink();
  const { userId, letterId } = await useLink(ctx, tokenHash, await hashPassword(input.newPassword));
  ctx.log.set({ user_id: userId });
  await announceLetters(ctx, [letterId]);
  return { message: TEXTS.passwordReset };
};
