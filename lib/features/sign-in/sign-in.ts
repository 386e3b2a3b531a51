import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { isKnownBrowser } from "#lib/features/identity/device.ts";
import { verifyPassword } from "#lib/features/identity/passwords.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import type { LoginInput } from "./schema.ts";
import { finishSignIn, takeTurn } from "./second-step.ts";

/**
 * Limits guesses at an account from all addresses together. A browser that signed in to it before is exempt, so that
 * nobody can keep the owner out. @throws AppError `too_many`
 */
const limitGuesses = async (ctx: Ctx, emailKey: string, user: typeof users.$inferSelect | undefined): Promise<void> => {
  if (user && isKnownBrowser(ctx, user)) return;
  await takeTurn(ctx, emailKey);
};

/**
 * @throws AppError `wrong_login` for an unknown email and for a wrong password alike; `second_step_required` with the
 * `challenge` for `verifySecondStep`; `too_many`
 */
export const logIn = async (ctx: Ctx<"jobs">, input: LoginInput): Promise<OpenedLogin> => {
  const emailKey = uniqueKey(input.email);
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.emailKey, emailKey), isNull(users.closedAt)));
  await limitGuesses(ctx, emailKey, user);
  const matches = await verifyPassword(input.password, user?.passwordHash ?? null);
  if (!user || !matches) throw new AppError("wrong_login");
  const login = await finishSignIn(ctx, user, { method: "password" });
  ctx.log.set({ user_id: login.userId, login_id: login.loginId });
  return login;
};
