import "server-only";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { digestEntries } from "#db/schema/notifications.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { DIGEST_KINDS, type DigestKind } from "#lib/features/email/constants.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { offerUnsubscribe } from "#lib/features/email/rendering.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
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

/** Something that its owner is to hear of by mail. */
interface Entry {
  userId: UserId;
  kind: DigestKind;
  /** The pin's or the account's id, or the digest of a link; with it {@link dropEntries} takes back what has been mended. */
  about: string;
  /** Tells one occasion from the next: a schedule's number, a moment. */
  occasion: string | number;
  /** For people: a title, a username. Cut after 200 characters. */
  subject: string;
  /** Why, for people. */
  reason: string;
}

const SUBJECT_MAX = 200;

const toRow = (tx: Ctx, { userId, kind, about, occasion, subject, reason }: Entry) => ({
  userId,
  kind,
  cause: `${about}:${occasion}`,
  subject: subject.slice(0, SUBJECT_MAX).toWellFormed(),
  reason,
  occurredAt: tx.now(),
});

/** Rows of one statement, whose parameters are bounded. */
const BATCH = 1_000;

/**
 * Writes down what users are to be told, in the transaction in which it happens: told if that commits, and only then.
 * The same occasion written twice is one entry. Whether they want such mails is asked when the mail is made.
 */
export const addEntries = async (tx: Ctx, entries: readonly Entry[]): Promise<void> => {
  for (let n = 0; n < entries.length; n += BATCH) {
    const rows = entries.slice(n, n + BATCH).map((entry) => toRow(tx, entry));
    await tx.db.insert(digestEntries).values(rows).onConflictDoNothing();
  }
};

/** {@link addEntries} of one. */
export const addEntry = (tx: Ctx, entry: Entry): Promise<void> => addEntries(tx, [entry]);

/** Takes back what nobody was told yet and is mended: an account connected again, a failed pin retried or deleted. */
export const dropEntries = async (
  tx: Ctx,
  { userIds, kind, about }: { userIds: readonly UserId[]; kind: DigestKind; about: readonly string[] },
): Promise<void> => {
  if (userIds.length === 0 || about.length === 0) return;
  await tx.db
    .delete(digestEntries)
    .where(
      and(
        inArray(digestEntries.userId, [...userIds]),
        eq(digestEntries.kind, kind),
        inArray(sql`split_part(${digestEntries.cause}, ':', 1)`, [...about]),
        isNull(digestEntries.mailedAt),
      ),
    );
};
