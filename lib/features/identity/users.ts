import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { emailChanges, emailVerifications, logins, passwordResets, users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { isTimeZone } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import type { Letter } from "#lib/features/email/schema.ts";

/** What of a locked user decides about plans. */
export interface LockedUser {
  plan: PlanSlug;
  planEndsAt: Date | null;
  closedAt: Date | null;
}

/**
 * A user, locked until the transaction ends, so that whoever decides about their plan does so one after the other. Rows
 * that only refer to the user are written meanwhile. Take it before the lock of the balance, never after it.
 */
export const lockUser = async (tx: Ctx, userId: UserId): Promise<LockedUser | null> => {
  const { plan, planEndsAt, closedAt } = users;
  const [row] = await tx.db
    .select({ plan, planEndsAt, closedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("no key update");
  return row ?? null;
};

/** What the last mail needs, and whose messages to support may go along. */
interface ClosedUser {
  email: string;
  emailKey: string;
  firstName: string;
  isEmailVerified: boolean;
}

/**
 * Takes the person out of a user's row and ends every login. The row stays: the ledger's entries name it. Its keys
 * become some that nobody can type, so that address and name are free again. The row's lock comes first: a login, a
 * connection or a change that is under way waits, and then finds nobody. Belongs into a transaction.
 * @returns null when the user is gone or the password is another than the one that was checked.
 */
export const closeUser = async (
  tx: Ctx,
  { userId, passwordHash }: { userId: UserId; passwordHash: string },
): Promise<ClosedUser | null> => {
  const isSame = and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.closedAt));
  const [user] = await tx.db.select().from(users).where(isSame).for("update");
  if (!user) return null;
  const nobody = ` closed ${userId}`;
  await tx.db
    .update(users)
    .set({
      email: "",
      emailKey: nobody,
      username: "",
      usernameKey: nobody,
      firstName: "",
      lastName: "",
      passwordHash: "",
      emailVerifiedAt: null,
      timeZone: "UTC",
      chosenTimeZone: null,
      mutedMails: [],
      closedAt: tx.now(),
    })
    .where(eq(users.id, userId));
  // Told to open streams by the trigger; the rows go with the rest.
  await tx.db
    .update(logins)
    .set({ revokedAt: tx.now() })
    .where(and(eq(logins.userId, userId), isNull(logins.revokedAt)));
  await tx.db.delete(emailVerifications).where(eq(emailVerifications.userId, userId));
  await tx.db.delete(passwordResets).where(eq(passwordResets.userId, userId));
  await tx.db.delete(emailChanges).where(eq(emailChanges.userId, userId));
  const { email, emailKey, firstName, emailVerifiedAt } = user;
  return { email, emailKey, firstName, isEmailVerified: emailVerifiedAt !== null };
};

/**
 * Writes down which plan a user has, and when it ends if that is known. Billing decides it from what was paid; setting
 * the same again changes nothing.
 */
export const setPlan = async (
  tx: Ctx,
  { userId, plan, planEndsAt }: { userId: UserId; plan: PlanSlug; planEndsAt: Date | null },
): Promise<void> => {
  await tx.db.update(users).set({ plan, planEndsAt }).where(eq(users.id, userId));
};

/** Keeps the user's time zone, so that times are right from the first paint (DESIGN §8). */
export const setTimeZone = async (ctx: Ctx, input: { timeZone: string }): Promise<void> => {
  if (!isTimeZone(input.timeZone)) throw new AppError("invalid", { text: "This time zone is not known." });
  await ctx.db
    .update(users)
    .set({ timeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};

/**
 * Keeps the zone in which a user wants times in every browser; null follows each browser's own again (R-SRV-06).
 * @throws AppError `invalid` for a zone that is not known.
 */
export const chooseTimeZone = async (ctx: Ctx, input: { timeZone: string | null }): Promise<void> => {
  if (input.timeZone !== null && !isTimeZone(input.timeZone)) {
    throw new AppError("invalid", { text: "This time zone is not known." });
  }
  await ctx.db
    .update(users)
    .set({ chosenTimeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};

/** Sends a mail from within a step. @throws when the server does not take it: the engine tries again, the log says why. */
export const sendMail = async (
  ctx: Ctx<"mail">,
  mail: { to: string; letter: Letter; uniqueKey: string },
): Promise<void> => {
  const { to, letter, uniqueKey } = mail;
  ctx.log.set({ letter: letter.kind });
  try {
    await ctx.mail.send({ ...renderLetter(ctx, letter), to, uniqueKey });
  } catch (error) {
    ctx.log.set({ mail_problem: messageOf(error) });
    throw error;
  }
};
