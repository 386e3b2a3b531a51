import "server-only";
import { and, eq, isNull, ne } from "drizzle-orm";
import { emailChanges, logins, passwordResets, users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, LoginId, UserId } from "#lib/core/ids.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";

/** A new password's hash for a user. `keeps`: the one login that goes on. */
interface Replacement {
  userId: UserId;
  passwordHash: string;
  keeps?: LoginId;
  /** Refuses unless this is still the present hash. */
  instead?: string;
}

/**
 * Sets a password and ends what the old one opened: logins, links for a new password, changes of address that wait to be
 * confirmed (R-RPW-09). The user's row comes first: logins that are just being opened wait for it, or are ended here.
 * Belongs into a transaction. @returns null when there is no such user any more, or the present hash is another.
 */
export const replacePassword = async (
  tx: Ctx,
  { userId, passwordHash, keeps, instead }: Replacement,
): Promise<{ endedLogins: number; letterId: LetterId } | null> => {
  const isPresent = and(
    eq(users.id, userId),
    isNull(users.closedAt),
    instead === undefined ? undefined : eq(users.passwordHash, instead),
  );
  const [user] = await tx.db.update(users).set({ passwordHash }).where(isPresent).returning();
  if (!user) return null;
  const isOther = and(
    eq(logins.userId, userId),
    isNull(logins.revokedAt),
    keeps === undefined ? undefined : ne(logins.id, keeps),
  );
  const ended = await tx.db.update(logins).set({ revokedAt: tx.now() }).where(isOther);
  await tx.db
    .update(passwordResets)
    .set({ usedAt: tx.now() })
    .where(and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt)));
  await tx.db
    .update(emailChanges)
    .set({ endedAt: tx.now() })
    .where(and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt)));
  const letter = { kind: "password_changed" as const, firstName: user.firstName };
  return { endedLogins: ended.count, letterId: await postLetter(tx, { userId, recipient: user.email, letter }) };
};
