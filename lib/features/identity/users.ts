import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import {
  authChallenges,
  authenticators,
  emailChanges,
  emailVerifications,
  externalLogins,
  logins,
  passkeys,
  passwordResets,
  recoveryCodes,
  users,
} from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { isTimeZone } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import type { EmailContent } from "#lib/features/email/schema.ts";
import { requireConfirmation } from "./confirmation.ts";

export interface LockedUser {
  plan: PlanSlug;
  planEndsAt: Date | null;
  closedAt: Date | null;
}

/** Always lock the user before their credit balance. */
export const lockUser = async (tx: Ctx, userId: UserId): Promise<LockedUser | null> => {
  const { plan, planEndsAt, closedAt } = users;
  const [row] = await tx.db
    .select({ plan, planEndsAt, closedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("no key update");
  return row ?? null;
};

interface ClosedUser {
  email: string;
  emailKey: string;
  firstName: string;
  isEmailVerified: boolean;
}

/**
 * The row stays because the ledger refers to it. Call it in a transaction: the row lock makes concurrent logins and
 * connections wait. Null when the user is missing. @throws AppError `confirm_identity`
 */
export const closeUser = async (tx: Ctx, userId: UserId): Promise<ClosedUser | null> => {
  const isOpen = and(eq(users.id, userId), isNull(users.closedAt));
  // Not `for update`: what the user does meanwhile may hold an account that deletion needs, and then refer to the user.
  const [user] = await tx.db.select().from(users).where(isOpen).for("no key update");
  if (!user) return null;
  await requireConfirmation(tx);
  const closedKey = ` closed ${userId}`;
  await tx.db
    .update(users)
    .set({
      email: "",
      emailKey: closedKey,
      username: "",
      usernameKey: closedKey,
      firstName: "",
      lastName: "",
      passwordHash: "",
      emailVerifiedAt: null,
      timeZone: "UTC",
      chosenTimeZone: null,
      mutedEmails: [],
      closedAt: tx.now(),
    })
    .where(eq(users.id, userId));
  // Fires the trigger that closes open live streams; the rows are deleted later.
  await tx.db
    .update(logins)
    .set({ revokedAt: tx.now() })
    .where(and(eq(logins.userId, userId), isNull(logins.revokedAt)));
  const links = [emailVerifications, passwordResets, emailChanges] as const;
  const waysIn = [authChallenges, authenticators, recoveryCodes, passkeys, externalLogins] as const;
  for (const table of [...links, ...waysIn]) await tx.db.delete(table).where(eq(table.userId, userId));
  const { email, emailKey, firstName, emailVerifiedAt } = user;
  return { email, emailKey, firstName, isEmailVerified: emailVerifiedAt !== null };
};

/** `planEndsAt` is null when no end is known. */
export const setPlan = async (
  tx: Ctx,
  { userId, plan, planEndsAt }: { userId: UserId; plan: PlanSlug; planEndsAt: Date | null },
): Promise<void> => {
  await tx.db.update(users).set({ plan, planEndsAt }).where(eq(users.id, userId));
};

export const setTimeZone = async (ctx: Ctx, input: { timeZone: string }): Promise<void> => {
  if (!isTimeZone(input.timeZone)) throw new AppError("invalid", { text: "Choose a time zone from the list." });
  await ctx.db
    .update(users)
    .set({ timeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};

/** Null follows each browser again. @throws AppError `invalid` for an unknown zone */
export const chooseTimeZone = async (ctx: Ctx, input: { timeZone: string | null }): Promise<void> => {
  if (input.timeZone !== null && !isTimeZone(input.timeZone)) {
    throw new AppError("invalid", { text: "Choose a time zone from the list." });
  }
  await ctx.db
    .update(users)
    .set({ chosenTimeZone: input.timeZone })
    .where(and(eq(users.id, requireUserId(ctx)), isNull(users.closedAt)));
};

/** For emails: empty while the address is unconfirmed, since it may be a stranger's and a name can hold any text. */
export const knownName = (user: Pick<typeof users.$inferSelect, "firstName" | "emailVerifiedAt">): string =>
  user.emailVerifiedAt ? user.firstName : "";

/** @throws when the mail server rejects it; the engine retries the step */
export const sendEmail = async (
  ctx: Ctx<"email">,
  message: { to: string; content: EmailContent; uniqueKey: string },
): Promise<void> => {
  const { to, content, uniqueKey } = message;
  ctx.log.set({ email_kind: content.kind });
  try {
    await ctx.email.send({ ...renderEmail(ctx, content), to, uniqueKey });
  } catch (error) {
    ctx.log.set({ email_problem: messageOf(error) });
    throw error;
  }
};
