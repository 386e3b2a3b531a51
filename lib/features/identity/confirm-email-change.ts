import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { isTaken } from "#db/is-taken.ts";
import { emailChanges, passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { uniqueKey } from "./policy.ts";
import type { ConfirmEmailChangeInput } from "./schema.ts";

/** `taken`: somebody registered with that address since it was asked for. */
export type EmailChangeOutcome = { kind: "changed"; email: string } | { kind: "taken" } | { kind: "invalid_link" };

type User = typeof users.$inferSelect;

/** Locks the user of a link that may still be used, then uses it up: the user comes first everywhere. */
const useLink = async (tx: Ctx, tokenHash: string): Promise<{ user: User; email: string } | null> => {
  const isLiving = and(
    eq(emailChanges.tokenHash, tokenHash),
    isNull(emailChanges.endedAt),
    gt(emailChanges.expiresAt, tx.now()),
  );
  const [found] = await tx.db.select({ userId: emailChanges.userId }).from(emailChanges).where(isLiving);
  if (!found) return null;
  const [user] = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.id, found.userId), isNull(users.closedAt)))
    .for("no key update");
  const [used] = await tx.db.update(emailChanges).set({ endedAt: tx.now() }).where(isLiving).returning();
  return user && used ? { user, email: used.email } : null;
};

/** Writes the new address unless somebody else has it: the unique index decides, inside a savepoint of its own. */
const takeAddress = async (tx: Ctx, user: User, email: string): Promise<boolean> => {
  const address = { email, emailKey: uniqueKey(email), emailVerifiedAt: tx.now() };
  try {
    await inTransaction(tx, async (inner) => {
      await inner.db.update(users).set(address).where(eq(users.id, user.id));
    });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
};

/**
 * Changes a mail address by the link that was sent to the new one. Single use; the new address counts as confirmed. The
 * old one is told, and links for a new password that were sent there are over.
 */
export const confirmEmailChange = async (
  ctx: Ctx<"jobs">,
  { token }: ConfirmEmailChangeInput,
): Promise<EmailChangeOutcome> => {
  const changed = await inTransaction(
    ctx,
    async (tx): Promise<{ outcome: EmailChangeOutcome; letterIds: LetterId[] }> => {
      const link = await useLink(tx, sha256(token));
      if (!link) return { outcome: { kind: "invalid_link" }, letterIds: [] };
      const { user, email } = link;
      if (!(await takeAddress(tx, user, email))) return { outcome: { kind: "taken" }, letterIds: [] };
      await tx.db
        .update(passwordResets)
        .set({ usedAt: tx.now() })
        .where(and(eq(passwordResets.userId, user.id), isNull(passwordResets.usedAt)));
      const letter = { kind: "email_changed" as const, firstName: user.firstName, newEmail: email };
      // Rows of this table hold ids that `createId` made.
      const letterId = await postLetter(tx, { userId: user.id as UserId, recipient: user.email, letter });
      tx.log.set({ user_id: user.id });
      return { outcome: { kind: "changed", email }, letterIds: [letterId] };
    },
  );
  await announceLetters(ctx, changed.letterIds);
  return changed.outcome;
};
