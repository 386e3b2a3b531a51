import "server-only";
import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { emailChanges, logins, users } from "#db/schema/identity.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Actor, Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { type PlanSlug, planAt } from "#lib/features/billing/plans.ts";
import { ACCESS_OVERLAP_MS, ACCESS_RENEWAL_MS } from "./constants.ts";
import type { UserWire } from "./schema.ts";

/** What the cookies and tokens of a login must carry. */
export interface TokenVersions {
  version: number;
  accessVersion: number;
}

/** What the cookies and the token of a browser are made of. */
export interface KeptLogin {
  userId: UserId;
  loginId: LoginId;
  tokens: TokenVersions;
  /** For the cookie that proves later that this account signed in here. */
  knownBrowser: string;
}

interface TokenRules extends TokenVersions {
  /** The access token was issued longer ago than our own pages keep one. */
  isRenewalDue: boolean;
  /** The access token before the latest renewal still works. */
  acceptsPrevious: boolean;
}

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
  tokens: TokenRules;
}

const ago = (ms: number) => sql`now() - make_interval(secs => ${ms / SECOND_MS})`;

/** Our own pages exchange their cookie for a new access token. */
export const isRenewalDue = sql<boolean>`coalesce(${logins.accessRenewedAt}, ${logins.createdAt}) < ${ago(ACCESS_RENEWAL_MS)}`;

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
  tokens: {
    version: sql<number>`coalesce(${logins.tokenVersion}, 0)`,
    accessVersion: sql<number>`coalesce(${logins.accessVersion}, 0)`,
    isRenewalDue,
    acceptsPrevious: sql<boolean>`coalesce(${logins.accessRenewedAt} > ${ago(ACCESS_OVERLAP_MS)}, false)`,
  },
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

/** Contents of a valid cookie or access token. */
export interface TokenClaims {
  loginId: string;
  version: number;
  /** Null in a cookie. */
  accessVersion: number | null;
}

const isCurrent = ({ version, accessVersion }: TokenClaims, now: TokenRules): boolean =>
  version === now.version &&
  (accessVersion === null ||
    accessVersion === now.accessVersion ||
    (accessVersion === now.accessVersion - 1 && now.acceptsPrevious));

/** `isCurrent`: false when the password changed or the token was renewed since. Null when the login has ended. */
export const findTokenUser = async (
  ctx: Ctx,
  claims: TokenClaims,
): Promise<{ user: SessionUser; isCurrent: boolean } | null> => {
  const user = await findSessionUser(ctx, claims.loginId);
  return user && { user, isCurrent: isCurrent(claims, user.tokens) };
};

const cachedUsers = new WeakMap<Actor, SessionUser>();

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
