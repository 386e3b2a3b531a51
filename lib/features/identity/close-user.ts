import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { emailChanges, emailVerifications, logins, passwordResets, users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";

/** What the last mail needs, and whose messages to support may go along. */
export interface ClosedUser {
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
