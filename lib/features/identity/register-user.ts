import "server-only";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { TEXTS } from "./constants.ts";
import { hashPassword } from "./hash-password.ts";
import { uniqueKey } from "./policy.ts";
import { requestVerification } from "./request-verification.ts";
import type { RegisterInput } from "./schema.ts";

const takenFields = (rows: { emailKey: string; usernameKey: string }[], emailKey: string, usernameKey: string) => ({
  ...(rows.some((row) => row.usernameKey === usernameKey) && { username: [TEXTS.usernameTaken] }),
  ...(rows.some((row) => row.emailKey === emailKey) && { email: [TEXTS.emailTaken] }),
});

/**
 * Creates a user and asks for the verification mail (R-REG-13, R-REG-17, A-10, A-11).
 * @throws AppError `invalid` with `{field: [text]}` when username or mail address is taken.
 */
export const registerUser = async (
  ctx: Ctx<"jobs">,
  input: RegisterInput,
): Promise<{ message: string; userId: UserId }> => {
  const emailKey = uniqueKey(input.email);
  const usernameKey = uniqueKey(input.username);
  const passwordHash = await hashPassword(input.password);
  const userId = ctx.newId("user");
  await inTransaction(ctx, async (tx) => {
    const created = await tx.db
      .insert(users)
      .values({
        id: userId,
        email: input.email,
        emailKey,
        username: input.username,
        usernameKey,
        firstName: input.firstName,
        lastName: input.lastName,
        passwordHash,
        createdAt: tx.now(),
      })
      .onConflictDoNothing()
      .returning({ id: users.id });
    if (created.length > 0) return;
    const rows = await tx.db.query.users.findMany({
      columns: { emailKey: true, usernameKey: true },
      where: (row, { eq, or }) => or(eq(row.emailKey, emailKey), eq(row.usernameKey, usernameKey)),
    });
    throw new AppError("invalid", { fields: takenFields(rows, emailKey, usernameKey) });
  });
  ctx.log.set({ user_id: userId });
  await requestVerification(ctx, { userId });
  return { message: TEXTS.registered, userId };
};
