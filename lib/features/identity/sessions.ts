import "server-only";
import { parse } from "bowser";
import { and, desc, eq, gt, isNull, lt, ne, or } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { ANSWERS } from "./answers.ts";
import { DEVICE_MAX, LOGIN_LIFE_MS, UNKNOWN_DEVICE, USE_NOTED_MS } from "./constants.ts";
import { verifyPassword } from "./passwords.ts";
import { uniqueKey } from "./policy.ts";
import { findSessionUser, type SessionUser, takeSessionUser } from "./queries.ts";
import type { EndLoginInput, LoginInput } from "./schema.ts";

export interface OpenedLogin {
  userId: UserId;
  loginId: LoginId;
  expiresAt: Date;
}

/**
 * Writes the login while the password is still the one that was checked: a new password, or the account's end, waits
 * for this, and then ends it with the others; or was first, and there is no login.
 */
const openLogin = (ctx: Ctx, user: { id: UserId; passwordHash: string }): Promise<OpenedLogin> =>
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
    return { userId: user.id, loginId: id, expiresAt };
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

/** Ends this login: cookie and access token die with it (D7). Without a login it does nothing. */
export const logOut = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") return;
  await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, ctx.actor.loginId), isNull(logins.revokedAt)));
};

/**
 * Ends one of the actor's other logins: its token and its cookie die at once.
 * @throws AppError `not_found`, the same for a foreign, absent or ended one; `wrong_state` for the one that asks.
 */
export const endLogin = async (ctx: Ctx, { loginId }: EndLoginInput): Promise<void> => {
  const userId = requireUserId(ctx);
  if (ctx.actor.kind === "user" && ctx.actor.loginId === loginId) {
    throw new AppError("wrong_state", { text: ANSWERS.currentLogin });
  }
  const ended = await ctx.db
    .update(logins)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(logins.id, loginId), eq(logins.userId, userId), isNull(logins.revokedAt)))
    .returning({ id: logins.id });
  if (ended.length === 0) throw new AppError("not_found");
};

/** Ends every login there is: a restored copy does not know which of them were ended since. @returns how many. */
export const endLogins = async (ctx: Ctx): Promise<number> => {
  const ended = await ctx.db.update(logins).set({ revokedAt: ctx.now() }).where(isNull(logins.revokedAt));
  return ended.count;
};

/** Ends every login of the actor but the one that asks. @returns how many lived. */
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

/** A login that lives, for its owner. Times are to about a quarter of an hour; no network address is kept. */
interface ListedLogin {
  id: string;
  device: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The one that asks. */
  isCurrent: boolean;
}

/** The actor's living logins: the present one first, then by their last use. */
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

/** What a browser says of itself may be as long as it likes, and anything at all. */
const READ_MAX = 400;

const plain = (name: string | undefined): string => (name ?? "").replace(/[^\p{L}\p{N} .+-]/gu, "").trim();

/** What a login was opened with, for people: 'Firefox on Linux'. Nothing else of the browser's words is kept. */
export const nameDevice = (userAgent: string | null | undefined): string => {
  const words = (userAgent ?? "").slice(0, READ_MAX).trim();
  if (!words) return UNKNOWN_DEVICE;
  const { browser, os } = parse(words);
  // A program that is no browser names itself in front: `curl/8.5`.
  const name = plain(browser.name) || plain(/^[A-Za-z][\w.-]*(?=\/)/.exec(words)?.[0]);
  const system = plain(os.name);
  if (!name && !system) return UNKNOWN_DEVICE;
  return `${name || "Unknown browser"}${system ? ` on ${system}` : ""}`.slice(0, DEVICE_MAX);
};

/** Notes that a login is used, at most once in a quarter of an hour: most requests write nothing. */
export const noteUse = async (ctx: Ctx, { loginId, lastUsedAt }: SessionUser): Promise<void> => {
  const now = ctx.now();
  const before = addMs(now, -USE_NOTED_MS);
  if (lastUsedAt && lastUsedAt > before) return;
  await ctx.db
    .update(logins)
    .set({ lastUsedAt: now })
    .where(and(eq(logins.id, loginId), or(isNull(logins.lastUsedAt), lt(logins.lastUsedAt, before))));
};

/** The user of the present login. @throws AppError `unauthenticated` when the login has ended meanwhile. */
export const readSessionUser = async (ctx: Ctx): Promise<SessionUser> => {
  const { actor } = ctx;
  const user = takeSessionUser(actor) ?? (actor.kind === "user" ? await findSessionUser(ctx, actor.loginId) : null);
  if (!user) throw new AppError("unauthenticated");
  return user;
};
