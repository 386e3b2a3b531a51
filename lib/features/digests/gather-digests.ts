import "server-only";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { digestEntries } from "#db/schema/digests.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { DIGEST_KINDS } from "#lib/features/letters/constants.ts";
import { offerUnsubscribe } from "#lib/features/letters/offer-unsubscribe.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { GATHER_BATCH, MAIL_GAP_MS } from "./constants.ts";
import { toSections } from "./policy.ts";
import { findDueUsers, findLastMail } from "./queries.ts";

/** One user's mail and the mark on what it tells, together or not at all. Null: there is nothing to tell any more. */
const tellUser = async (tx: Ctx, userId: UserId): Promise<LetterId | null> => {
  // One at a time: whoever comes second finds everything told.
  await lockUser(tx, userId);
  const user = await findUser(tx, userId);
  const last = await findLastMail(tx, userId);
  const now = tx.now();
  if (last && now.getTime() - last.getTime() < MAIL_GAP_MS) return null;
  const isWaiting = and(eq(digestEntries.userId, userId), isNull(digestEntries.mailedAt));
  const muted = DIGEST_KINDS.filter((kind) => !user || user.mutedMails.includes(kind));
  await tx.db.delete(digestEntries).where(and(isWaiting, inArray(digestEntries.kind, muted)));
  const told = await tx.db.update(digestEntries).set({ mailedAt: now }).where(isWaiting).returning();
  if (!user || told.length === 0) return null;
  const sections = toSections(told);
  const unsubscribe = offerUnsubscribe(
    userId,
    sections.map(({ about }) => about),
  );
  const letter = { kind: "digest" as const, firstName: user.firstName, sections, unsubscribe };
  return postLetter(tx, { userId, recipient: user.email, letter });
};

/** Of one user whose mail cannot be made the log tells; it is tried again with the next run, and holds up no other. */
const tryToTell = async (ctx: Ctx, userId: UserId): Promise<LetterId | null> => {
  try {
    return await inTransaction(ctx, (tx) => tellUser(tx, userId));
  } catch (error) {
    ctx.log.set({ digests_problem: messageOf(error) });
    return null;
  }
};

/**
 * Makes one mail of what each user is to be told: a quarter of an hour after the first of it happened, and an hour
 * after the last such mail. What they switched off is forgotten. Whoever dies between two users has told the first;
 * whoever dies before announcing leaves it to the sweep. @returns how many mails.
 */
export const gatherDigests = async (ctx: Ctx<"jobs">): Promise<{ posted: number }> => {
  const due = await findDueUsers(ctx, await databaseTime(ctx), GATHER_BATCH);
  const letterIds: LetterId[] = [];
  for (const userId of due) {
    if (ctx.stopping.aborted) break;
    const letterId = await tryToTell(ctx, userId);
    if (letterId) letterIds.push(letterId);
  }
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  ctx.log.set({ digests_posted: letterIds.length });
  return { posted: letterIds.length };
};
