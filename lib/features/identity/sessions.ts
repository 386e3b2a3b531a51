import "server-only";
import { and, desc, eq, gt, isNull, lt, ne, or, sql } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import { LAST_USED_PRECISION_MS, LOGIN_LIFETIME_MS, UNKNOWN_DEVICE } from "./constants.ts";
import { browserProof, deviceName, queueNewDevice } from "./device.ts";
import { MESSAGES } from "./messages.ts";
import { findSessionUser, isRenewalDue, type KeptLogin, type SessionUser, takeCachedSessionUser } from "./queries.ts";
import type { EndLoginInput } from "./schema.ts";
import { recordSecurityEvent } from "./security-log.ts";
import { lockUser } from "./users.ts";

export interface OpenedLogin extends KeptLogin {
  expiresAt: Date;
}

export interface SignedIn {
  id: UserId;
  passwordHash: string;
}

const NEW_TOKENS = { version: 0, accessVersion: 0 };

/** `emailIds`: to deliver after the commit. */
interface InsertedLogin extends OpenedLogin {
  emailIds: EmailId[];
}

/**
 * The end of every way to sign in, in a transaction. Only if the password is unchanged; the row lock makes a concurrent
 * password change wait. Call `deliverLogin` after the commit. @throws AppError `wrong_login`
 */
export const insertLogin = async (tx: Ctx, user: SignedIn, { method }: { method: string }): Promise<InsertedLogin> => {
  const [same] = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash), isNull(users.closedAt)))
    .for("share");
  if (!same) throw new AppError("wrong_login");
  const device = deviceName(tx.actor.kind === "visitor" ? tx.actor.userAgent : null);
  const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), LOGIN_LIFETIME_MS)];
  const id = tx.newId("login");
  const emailIds = await queueNewDevice(tx, same, device);
  const times = { createdAt, expiresAt, lastUsedAt: createdAt, confirmedAt: createdAt };
  await tx.db.insert(logins).values({ id, userId: user.id, device, ...times });
  await recordSecurityEvent(tx, { userId: user.id, kind: "signed_in", loginId: id, detail: method });
  return {
    emailIds,
    userId: user.id,
    loginId: id,
    expiresAt,
    tokens: NEW_TOKENS,
    knownBrowser: browserProof(tx, user),
  };
};

export const deliverLogin = async (ctx: Ctx<"jobs">, { emailIds, ...login }: InsertedLogin): Promise<OpenedLogin> => {
  await requestDelivery(ctx, emailIds);
  return login;
};

/** Invalidates its cookie and access token. */
export const logOut = async (ctx: Ctx): Promise<void> => {
  const { actor } = ctx;
  if (actor.kind !== "user") return;
  await inTransaction(ctx, async (tx) => {
    await lockUser(tx, actor.userId);
    const ended = await tx.db
      .update(logins)
      .set({ revokedAt: tx.now() })
      .where(and(eq(logins.id, actor.loginId), isNull(logins.revokedAt)));
    if (ended.count > 0) await recordSecurityEvent(tx, { userId: actor.userId, kind: "signed_out" });
  });
};

/** @throws AppError `not_found` unless it is theirs and active; `wrong_state` for the current one */
export const endLogin = async (ctx: Ctx, { loginId }: EndLoginInput): Promise<void> => {
  const userId = requireUserId(ctx);
  if (ctx.actor.kind === "user" && ctx.actor.loginId === loginId) {
    throw new AppError("wrong_state", { text: MESSAGES.currentLogin });
  }
  await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const [ended] = await tx.db
      .update(logins)
      .set({ revokedAt: tx.now() })
      .where(and(eq(logins.id, loginId), eq(logins.userId, userId), isNull(logins.revokedAt)))
      .returning({ device: logins.device });
    if (!ended) throw new AppError("not_found");
    await recordSecurityEvent(tx, { userId, kind: "login_ended", detail: ended.device });
  });
};

/** Used after restoring a backup. */
export const endAllLogins = async (ctx: Ctx): Promise<number> => {
  const ended = await ctx.db.update(logins).set({ revokedAt: ctx.now() }).where(isNull(logins.revokedAt));
  return ended.count;
};

export const endOtherLogins = (ctx: Ctx): Promise<{ endedLogins: number }> => {
  const userId = requireUserId(ctx);
  const isOther = ctx.actor.kind === "user" ? ne(logins.id, ctx.actor.loginId) : undefined;
  return inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(logins)
      .set({ revokedAt: tx.now() })
      .where(and(eq(logins.userId, userId), isNull(logins.revokedAt), gt(logins.expiresAt, tx.now()), isOther));
    if (count > 0) await recordSecurityEvent(tx, { userId, kind: "other_logins_ended", detail: String(count) });
    return { endedLogins: count };
  });
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

/** Everything that a browser with one valid cookie or token lacks. @throws AppError `unauthenticated` */
export const readKeptLogin = async (ctx: Ctx): Promise<KeptLogin> => {
  const { id: userId, loginId, tokens } = await readSessionUser(ctx);
  const [user] = await ctx.db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  if (!user) throw new AppError("unauthenticated");
  return { userId, loginId, tokens, knownBrowser: browserProof(ctx, { id: userId, ...user }) };
};

/**
 * At most daily, so that a copied access token soon stops working while its owner uses the product (decision 15). Two
 * tabs that ask at once get the same version. @throws AppError `unauthenticated`
 */
export const renewAccess = async (ctx: Ctx): Promise<KeptLogin> => {
  const { loginId, tokens } = await readSessionUser(ctx);
  // A password change in the meantime ended the cookie that this request came with.
  const isSame = sql`coalesce(${logins.tokenVersion}, 0) = ${tokens.version}`;
  await ctx.db
    .update(logins)
    .set({ accessVersion: sql`coalesce(${logins.accessVersion}, 0) + 1`, accessRenewedAt: sql`now()` })
    .where(and(eq(logins.id, loginId), isSame, isRenewalDue));
  const kept = await readKeptLogin(ctx);
  if (kept.tokens.version !== tokens.version) throw new AppError("unauthenticated");
  return kept;
};

/** @throws AppError `unauthenticated` when the login has ended */
export const readSessionUser = async (ctx: Ctx): Promise<SessionUser> => {
  const { actor } = ctx;
  const user =
    takeCachedSessionUser(actor) ?? (actor.kind === "user" ? await findSessionUser(ctx, actor.loginId) : null);
  if (!user) throw new AppError("unauthenticated");
  return user;
};
