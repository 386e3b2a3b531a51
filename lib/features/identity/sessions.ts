import "server-only";
import { and, desc, eq, gt, isNull, lt, ne, or } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { LAST_USED_PRECISION_MS, LOGIN_LIFETIME_MS, UNKNOWN_DEVICE } from "./constants.ts";
import { deviceName } from "./device.ts";
import { MESSAGES } from "./messages.ts";
import { findSessionUser, type SessionUser, takeCachedSessionUser } from "./queries.ts";
import type { EndLoginInput } from "./schema.ts";
import { recordSecurityEvent } from "./security-log.ts";

export interface OpenedLogin {
  userId: UserId;
  loginId: LoginId;
  expiresAt: Date;
  /** For a cookie that proves later that this account signed in here; ends with its password. */
  knownBrowser: string;
}

/** Of a browser's `known_browser` cookie. */
export const browserProofOf = (ctx: Ctx, user: { id: UserId; passwordHash: string }): string =>
  signText(ctx.settings.tokenSecret, `known-browser:${user.id}:${user.passwordHash}`);

export interface SignedIn {
  id: UserId;
  passwordHash: string;
}

/**
 * The end of every way to sign in. Only if the password is unchanged; the row lock makes a concurrent password change
 * wait. @throws AppError `wrong_login`
 */
export const openLogin = (ctx: Ctx, user: SignedIn, { method }: { method: string }): Promise<OpenedLogin> =>
  inTransaction(ctx, async (tx) => {
    const [same] = await tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash), isNull(users.closedAt)))
      .for("share");
    if (!same) throw new AppError("wrong_login");
    const device = deviceName(tx.actor.kind === "visitor" ? tx.actor.userAgent : null);
    const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), LOGIN_LIFETIME_MS)];
    const id = tx.newId("login");
    const times = { createdAt, expiresAt, lastUsedAt: createdAt, confirmedAt: createdAt };
    await tx.db.insert(logins).values({ id, userId: user.id, device, ...times });
    await recordSecurityEvent(tx, { userId: user.id, kind: "signed_in", loginId: id, detail: method });
    return { userId: user.id, loginId: id, expiresAt, knownBrowser: browserProofOf(tx, user) };
  });

/** Invalidates its cookie and access token. */
export const logOut = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") return;
  await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, ctx.actor.loginId), isNull(logins.revokedAt)));
};

/** @throws AppError `not_found` unless it is theirs and active; `wrong_state` for the current one */
export const endLogin = async (ctx: Ctx, { loginId }: EndLoginInput): Promise<void> => {
  const userId = requireUserId(ctx);
  if (ctx.actor.kind === "user" && ctx.actor.loginId === loginId) {
    throw new AppError("wrong_state", { text: MESSAGES.currentLogin });
  }
  const ended = await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, loginId), eq(logins.userId, userId), isNull(logins.revokedAt)))
    .returning({ id: logins.id });
  if (ended.length === 0) throw new AppError("not_found");
};

/** Used after restoring a backup. */
export const endAllLogins = async (ctx: Ctx): Promise<number> => {
  const ended = await ctx.db.update(logins).set({ revokedAt: ctx.now() }).where(isNull(logins.revokedAt));
  return ended.count;
};

export const endOtherLogins = async (ctx: Ctx): Promise<{ endedLogins: number }> => {
  const isOther = ctx.actor.kind === "user" ? ne(logins.id, ctx.actor.loginId) : undefined;
  const ended = await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(
      and(eq(logins.userId, requireUserId(ctx)), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now()), isOther),
    );
  return { endedLogins: ended.count };
};

interface ListedLogin {
  id: string;
  device: string;
  createdAt: Date;
  /** Accurate to about 15 minutes. */
  lastUsedAt: Date;
  isCurrent: boolean;
}

export const listLogins = async (ctx: Ctx): Promise<ListedLogin[]> => {
  const current = ctx.actor.kind === "user" ? ctx.actor.loginId : null;
  const rows = await ctx.db
    .select()
    .from(logins)
    .where(and(eq(logins.userId, requireUserId(ctx)), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now())))
    .orderBy(desc(logins.lastUsedAt), desc(logins.createdAt));
  return rows
    .map(({ id, device, createdAt, lastUsedAt }) => ({
      id,
      device: device || UNKNOWN_DEVICE,
      createdAt,
      lastUsedAt: lastUsedAt ?? createdAt,
      isCurrent: id === current,
    }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
};

/** Rarely, so most requests write nothing. */
export const recordLoginUse = async (ctx: Ctx, { loginId, lastUsedAt }: SessionUser): Promise<void> => {
  const now = ctx.now();
  const before = addMs(now, -LAST_USED_PRECISION_MS);
  if (lastUsedAt && lastUsedAt > before) return;
  await ctx.db
    .update(logins)
    .set({ lastUsedAt: now })
    .where(and(eq(logins.id, loginId), or(isNull(logins.lastUsedAt), lt(logins.lastUsedAt, before))));
};

/** @throws AppError `unauthenticated` when the login has ended */
export const readSessionUser = async (ctx: Ctx): Promise<SessionUser> => {
  const { actor } = ctx;
  const user =
    takeCachedSessionUser(actor) ?? (actor.kind === "user" ? await findSessionUser(ctx, actor.loginId) : null);
  if (!user) throw new AppError("unauthenticated");
  return user;
};
