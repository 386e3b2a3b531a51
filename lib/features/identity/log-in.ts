import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { LOGIN_LIFE_MS } from "./constants.ts";
import { nameDevice } from "./name-device.ts";
import { uniqueKey } from "./policy.ts";
import type { LoginInput } from "./schema.ts";
import { verifyPassword } from "./verify-password.ts";

export interface OpenedLogin {
  userId: UserId;
  loginId: LoginId;
  expiresAt: Date;
}

/**
 * Writes the login while the password is still the one that was checked: a new password, or the account's end, waits
 * for this, and then ends it with the others; or was first, and there is no login.
 */
const openLogin = (ctx: Ctx, user: { id: string; passwordHash: string }): Promise<OpenedLogin> =>
  inTransaction(ctx, async (tx) => {
    const [same] = await tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash), isNull(users.closedAt)))
      .for("share");
    if (!same) throw new AppError("wrong_login");
    const device = nameDevice(tx.actor.kind === "visitor" ? tx.actor.userAgent : null);
    const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), LOGIN_LIFE_MS)];
    const id = tx.newId("login");
    await tx.db.insert(logins).values({ id, userId: user.id, createdAt, expiresAt, device, lastUsedAt: createdAt });
    return { userId: user.id as UserId, loginId: id, expiresAt };
  });

/**
 * Checks a password and opens a login (D7). The cookie and the access token carry its id.
 * @throws AppError `wrong_login`, the same for an unknown address and a wrong password.
 */
export const logIn = async (ctx: Ctx, input: LoginInput): Promise<OpenedLogin> => {
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.emailKey, uniqueKey(input.email)), isNull(users.closedAt)));
  const fits = await verifyPassword(input.password, user?.passwordHash ?? null);
  if (!user || !fits) throw new AppError("wrong_login");
  const login = await openLogin(ctx, user);
  ctx.log.set({ user_id: login.userId, login_id: login.loginId });
  return login;
};
