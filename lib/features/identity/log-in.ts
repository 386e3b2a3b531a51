import "server-only";
import { eq } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { LOGIN_LIFE_MS } from "./constants.ts";
import { uniqueKey } from "./policy.ts";
import type { LoginInput } from "./schema.ts";
import { verifyPassword } from "./verify-password.ts";

export interface OpenedLogin {
  userId: UserId;
  loginId: LoginId;
  expiresAt: Date;
}

/**
 * Checks a password and opens a login (D7). The cookie and the access token carry its id.
 * @throws AppError `wrong_login`, the same for an unknown address and a wrong password.
 */
export const logIn = async (ctx: Ctx, input: LoginInput): Promise<OpenedLogin> => {
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(eq(users.emailKey, uniqueKey(input.email)));
  const fits = await verifyPassword(input.password, user?.passwordHash ?? null);
  if (!user || !fits) throw new AppError("wrong_login");
  const login = {
    id: ctx.newId("login"),
    userId: user.id,
    createdAt: ctx.now(),
    expiresAt: addMs(ctx.now(), LOGIN_LIFE_MS),
  };
  await ctx.db.insert(logins).values(login);
  ctx.log.set({ user_id: user.id, login_id: login.id });
  return { userId: user.id as UserId, loginId: login.id, expiresAt: login.expiresAt };
};
