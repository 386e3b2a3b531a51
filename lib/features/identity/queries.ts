import "server-only";
import { and, desc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import { emailChanges, logins, users } from "#db/schema/identity.ts";
import { preparedOnce } from "#db/sql.ts";
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
  /** The zone in which times are shown: the chosen one, else the browser's. */
  timeZone: string;
  chosenTimeZone: string | null;
  /** When this login was last noted as used. */
  lastUsedAt: Date | null;
}

/** What a request needs of its user, and no more: every request asks for it. */
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
  // Rows of this table hold ids that `createId` made.
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

/** The user of a login that is neither revoked nor expired, else null. One query. */
export const findSessionUser = async (ctx: Ctx, loginId: string): Promise<SessionUser | null> => {
  const [row] = await sessionUserStatement(ctx.db).execute({ loginId, now: ctx.now().toISOString() });
  return row ? toSessionUser(row, ctx.now()) : null;
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

/** A user's plan at present: `free` for one who does not exist, and once a paid one has ended (R-SUB-06). */
export const findPlan = async (ctx: Ctx, userId: UserId): Promise<PlanSlug> => {
  const columns = { plan: users.plan, planEndsAt: users.planEndsAt };
  const [row] = await ctx.db.select(columns).from(users).where(eq(users.id, userId));
  return row ? planAt(row, ctx.now()) : "free";
};

/** The id of the user with a mail address, without regard to case. */
export const findUserIdByEmailKey = async (ctx: Ctx, emailKey: string): Promise<UserId | null> => {
  const [row] = await ctx.db.select({ id: users.id }).from(users).where(eq(users.emailKey, emailKey));
  return row ? row.id : null;
};

/** Those of some logins that are neither revoked nor expired. One query for all. */
export const findLivingLogins = async (ctx: Ctx, loginIds: readonly LoginId[]): Promise<Set<LoginId>> => {
  const rows = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(inArray(logins.id, [...loginIds]), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now())));
  return new Set(rows.map(({ id }) => id as LoginId));
};

/** A user as the table has them, unless they deleted themselves. */
export const findUser = async (ctx: Ctx, userId: UserId): Promise<typeof users.$inferSelect | null> => {
  const [row] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.closedAt)));
  return row ?? null;
};

/** A new address that waits to be confirmed. */
interface PendingEmailChange {
  email: string;
  requestedAt: Date;
  expiresAt: Date;
}

/** The actor's change of address that waits for the new address, if there is one. */
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

/** R-ENT-01: the wire form of the signed-in user. */
export const toUserWire = (user: SessionUser): UserWire => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  username: user.username,
  email_verified: user.emailVerified,
  plan: user.plan,
});
