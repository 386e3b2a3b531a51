import "server-only";
import { digestEntries } from "#db/schema/digests.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { DigestKind } from "#lib/features/letters/constants.ts";

/** Something that its owner is to hear of by mail. */
export interface Entry {
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
