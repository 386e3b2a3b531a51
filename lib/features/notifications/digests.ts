import "server-only";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { digestEntries } from "#db/schema/notifications.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { DIGEST_KINDS, type DigestKind } from "#lib/features/email/constants.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { unsubscribeOffer } from "#lib/features/email/rendering.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { DIGEST_BATCH, DIGEST_INTERVAL_MS } from "./constants.ts";
import { toSections } from "./policy.ts";
import { findDueUsers, findLastEmail } from "./queries.ts";

const queueDigest = async (tx: Ctx, userId: UserId): Promise<EmailId | null> => {
  // Makes a concurrent run find the entries marked.
  await lockUser(tx, userId);
  const user = await findUser(tx, userId);
  const last = await findLastEmail(tx, userId);
  const now = tx.now();
  if (last && now.getTime() - last.getTime() < DIGEST_INTERVAL_MS) return null;
  const isWaiting = and(eq(digestEntries.userId, userId), isNull(digestEntries.mailedAt));
  const muted = DIGEST_KINDS.filter((kind) => !user || user.mutedEmails.includes(kind));
  await tx.db.delete(digestEntries).where(and(isWaiting, inArray(digestEntries.kind, muted)));
  const entries = await tx.db.update(digestEntries).set({ mailedAt: now }).where(isWaiting).returning();
  if (!user || entries.length === 0) return null;
  const sections = toSections(entries);
  const unsubscribe = unsubscribeOffer(
    userId,
    sections.map(({ about }) => about),
  );
  const content = { kind: "digest" as const, firstName: user.firstName, sections, unsubscribe };
  return queueEmail(tx, { userId, recipient: user.email, content });
};

/** A failure must not block other users; the next run retries it. */
const tryToQueue = async (ctx: Ctx, userId: UserId): Promise<EmailId | null> => {
  try {
    return await inTransaction(ctx, (tx) => queueDigest(tx, userId));
  } catch (error) {
    ctx.log.set({ digests_problem: messageOf(error) });
    return null;
  }
};

/** Entries of muted kinds are deleted. */
export const sendDigests = async (ctx: Ctx<"jobs">): Promise<{ queued: number }> => {
  const due = await findDueUsers(ctx, await databaseTime(ctx), DIGEST_BATCH);
  const emailIds: EmailId[] = [];
  for (const userId of due) {
    if (ctx.stopping.aborted) break;
    const emailId = await tryToQueue(ctx, userId);
    if (emailId) emailIds.push(emailId);
  }
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  ctx.log.set({ digests_sent: emailIds.length });
  return { queued: emailIds.length };
};

interface Entry {
  userId: UserId;
  kind: DigestKind;
  /** Id of the pin or account, or hash of the link; {@link removeDigestEntries} matches on it. */
  about: string;
  /** Distinguishes repeated events: a schedule generation or a time. */
  occasion: string | number;
  /** Cut after 200 characters. */
  subject: string;
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

/** PostgreSQL limits parameters per statement. */
const BATCH = 1_000;

/** In the caller's transaction. Duplicates of an occasion are ignored; muted kinds are dropped when written. */
export const addDigestEntries = async (tx: Ctx, entries: readonly Entry[]): Promise<void> => {
  for (let n = 0; n < entries.length; n += BATCH) {
    const rows = entries.slice(n, n + BATCH).map((entry) => toRow(tx, entry));
    await tx.db.insert(digestEntries).values(rows).onConflictDoNothing();
  }
};

export const addDigestEntry = (tx: Ctx, entry: Entry): Promise<void> => addDigestEntries(tx, [entry]);

export const removeDigestEntries = async (
  tx: Ctx,
  { userIds, kind, about }: { userIds: readonly UserId[]; kind: DigestKind; about: readonly string[] },
): Promise<void> => {
  if (userIds.length === 0 || about.length === 0) return;
  await tx.db
    .delete(digestEntries)
    .where(
      and(
        isAnyOf(digestEntries.userId, userIds),
        eq(digestEntries.kind, kind),
        isAnyOf(sql`split_part(${digestEntries.cause}, ':', 1)`, about),
        isNull(digestEntries.mailedAt),
      ),
    );
};
