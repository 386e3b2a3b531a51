import "server-only";
import { and, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import { preparedOnce } from "#db/prepared.ts";
import { logins, users } from "#db/schema/identity.ts";
import type { Actor, Ctx } from "#lib/context.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "./constants.ts";

export interface SessionUser {
  id: UserId;
  loginId: LoginId;
  email: string;
  username: string;
  firstName: string;
  lastName: string;
  emailVerified: boolean;
  plan: PlanSlug;
  timeZone: string;
}

type UserRow = typeof users.$inferSelect;

const toSessionUser = (user: UserRow, loginId: string): SessionUser => ({
  // Rows of these tables hold ids that `createId` made.
  id: user.id as UserId,
  loginId: loginId as LoginId,
  email: user.email,
  username: user.username,
  firstName: user.firstName,
  lastName: user.lastName,
  emailVerified: user.emailVerifiedAt !== null,
  plan: user.plan,
  timeZone: user.timeZone,
});

const sessionUserStatement = preparedOnce((db) =>
  db
    .select({ user: users, loginId: logins.id })
    .from(logins)
    .innerJoin(users, eq(users.id, logins.userId))
    .where(
      and(
        eq(logins.id, sql.placeholder("loginId")),
        isNull(logins.revokedAt),
        gt(logins.expiresAt, sql.placeholder("now")),
      ),
    )
    .prepare("session_user"),
);

/** The user of a login that is neither revoked nor expired, else null. One query. */
export const findSessionUser = async (ctx: Ctx, loginId: string): Promise<SessionUser | null> => {
  const [row] = await sessionUserStatement(ctx.db).execute({ loginId, now: ctx.now().toISOString() });
  return row ? toSessionUser(row.user, row.loginId) : null;
};

/** What the door read about the actor of this very request. */
const seenAtTheDoor = new WeakMap<Actor, SessionUser>();

/** Leaves what was just read about an actor for the first who asks, so that one request asks the database once. */
export const leaveSessionUser = (actor: Actor, user: SessionUser): void => void seenAtTheDoor.set(actor, user);

/** Takes what was left, once: whoever asks again later, in a request that lasts, must ask the database. */
export const takeSessionUser = (actor: Actor): SessionUser | null => {
  const user = seenAtTheDoor.get(actor) ?? null;
  seenAtTheDoor.delete(actor);
  return user;
};

/** A user's plan; `free` for one who does not exist. */
export const findPlan = async (ctx: Ctx, userId: UserId): Promise<PlanSlug> => {
  const [row] = await ctx.db.select({ plan: users.plan }).from(users).where(eq(users.id, userId));
  return row?.plan ?? "free";
};

/** The id of the user with a mail address, without regard to case. */
export const findUserIdByEmailKey = async (ctx: Ctx, emailKey: string): Promise<UserId | null> => {
  const [row] = await ctx.db.select({ id: users.id }).from(users).where(eq(users.emailKey, emailKey));
  return row ? (row.id as UserId) : null;
};

/** Those of some logins that are neither revoked nor expired. One query for all. */
export const findLivingLogins = async (ctx: Ctx, loginIds: readonly LoginId[]): Promise<Set<LoginId>> => {
  const rows = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(inArray(logins.id, [...loginIds]), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now())));
  return new Set(rows.map(({ id }) => id as LoginId));
};
