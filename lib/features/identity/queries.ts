import "server-only";
import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { emailChanges, logins, users } from "#db/schema/identity.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Actor, Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { type PlanSlug, planAt } from "#lib/features/billing/plans.ts";
import type { UserWire } from "./schema.ts";

export interface SessionUser {
  id: UserId;
  loginId: LoginId;
  email: string;
  username: string;
  firstName: string;
  lastName: string;
  emailVerified: boolean;
  plan: PlanSlug;
  /** The chosen zone, or else the browser's. */
  timeZone: string;
  chosenTimeZone: string | null;
  lastUsedAt: Date | null;
}

const SESSION_COLUMNS = {
  id: users.id,
  loginId: logins.id,
  email: users.email,
  username: users.username,
  firstName: users.firstName,
  lastName: users.lastName,
  emailVerifiedAt: users.emailVerifiedAt,
  plan: users.plan,
  planEndsAt: users.planEndsAt,
  timeZone: users.timeZone,
  chosenTimeZone: users.chosenTimeZone,
  lastUsedAt: logins.lastUsedAt,
};

interface SessionRow extends Omit<SessionUser, "id" | "loginId" | "emailVerified"> {
  id: UserId;
  loginId: string;
  emailVerifiedAt: Date | null;
  planEndsAt: Date | null;
}

const toSessionUser = ({ emailVerifiedAt, planEndsAt, ...row }: SessionRow, now: Date): SessionUser => ({
  ...row,
  plan: planAt({ plan: row.plan, planEndsAt }, now),
  loginId: row.loginId as LoginId,
  emailVerified: emailVerifiedAt !== null,
  timeZone: row.chosenTimeZone ?? row.timeZone,
});

const sessionUserStatement = preparedOnce((db) =>
  db
    .select(SESSION_COLUMNS)
    .from(logins)
    .innerJoin(users, eq(users.id, logins.userId))
    .where(
      and(
        eq(logins.id, sql.placeholder("loginId")),
        isNull(logins.revokedAt),
        gt(logins.expiresAt, sql.placeholder("now")),
        isNull(users.closedAt),
      ),
    )
    .prepare("session_user"),
);

/** Null when the login was revoked or has expired. */
export const findSessionUser = async (ctx: Ctx, loginId: string): Promise<SessionUser | null> => {
  const [row] = await sessionUserStatement(ctx.db).execute({ loginId, now: ctx.now().toISOString() });
  return row ? toSessionUser(row, ctx.now()) : null;
};

const cachedUsers = new WeakMap<Actor, SessionUser>();

/** Caches the user for the next read in this request. */
export const cacheSessionUser = (actor: Actor, user: SessionUser): void => void cachedUsers.set(actor, user);

/** Returns the cached user once; later reads query the database. */
export const takeCachedSessionUser = (actor: Actor): SessionUser | null => {
  const user = cachedUsers.get(actor) ?? null;
  cachedUsers.delete(actor);
  return user;
};

/** `free` for unknown users and after a paid plan has ended. */
export const findPlan = async (ctx: Ctx, userId: UserId): Promise<PlanSlug> => {
  const columns = { plan: users.plan, planEndsAt: users.planEndsAt };
  const [row] = await ctx.db.select(columns).from(users).where(eq(users.id, userId));
  return row ? planAt(row, ctx.now()) : "free";
};

export const findUserIdByEmailKey = async (ctx: Ctx, emailKey: string): Promise<UserId | null> => {
  const [row] = await ctx.db.select({ id: users.id }).from(users).where(eq(users.emailKey, emailKey));
  return row ? row.id : null;
};

export const findActiveLogins = async (ctx: Ctx, loginIds: readonly LoginId[]): Promise<Set<LoginId>> => {
  const rows = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(isAnyOf(logins.id, loginIds), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now())));
  return new Set(rows.map(({ id }) => id as LoginId));
};

/** Null when the account was deleted. */
export const findUser = async (ctx: Ctx, userId: UserId): Promise<typeof users.$inferSelect | null> => {
  const [row] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.closedAt)));
  return row ?? null;
};

interface PendingEmailChange {
  email: string;
  requestedAt: Date;
  expiresAt: Date;
}

export const findEmailChange = async (ctx: Ctx): Promise<PendingEmailChange | null> => {
  const { userId, email, createdAt, expiresAt, endedAt } = emailChanges;
  const [row] = await ctx.db
    .select({ email, requestedAt: createdAt, expiresAt })
    .from(emailChanges)
    .where(and(eq(userId, requireUserId(ctx)), isNull(endedAt), gt(expiresAt, ctx.now())))
    .orderBy(desc(createdAt))
    .limit(1);
  return row ?? null;
};

export const toUserWire = (user: SessionUser): UserWire => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  username: user.username,
  email_verified: user.emailVerified,
  plan: user.plan,
});
