import "server-only";
import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import { weeklyMails } from "#db/schema/analytics.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { letters } from "#db/schema/email.ts";
import { drawingPlaces } from "#db/schema/generation.ts";
import { emailChanges, emailVerifications, logins, passwordResets } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { erasures } from "#db/schema/privacy.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { deleteInBatches } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { disconnectAll } from "#lib/features/accounts/accounts.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { forgetFigures } from "#lib/features/analytics/stored-figures.ts";
import { endSubscriptions, forgetPayer } from "#lib/features/billing/subscriptions.ts";
import { condemnLogos } from "#lib/features/branding/kit.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { eraseGroups } from "#lib/features/generation/groups.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { abandonTasks } from "#lib/features/generation/task-recovery.ts";
import { confirmPassword } from "#lib/features/identity/passwords.ts";
import type { PasswordInput } from "#lib/features/identity/schema.ts";
import { closeUser } from "#lib/features/identity/users.ts";
import { erasePins } from "#lib/features/pins/retention.ts";
import { condemnKept } from "#lib/features/pins/uploads.ts";
import { type ErasureRequested, PATIENCE_MS, SETTLE_MS, SWEEP_BATCH } from "./schema.ts";

/** Whether an address in the database is that of a key, as `uniqueKey` makes them. */
const isOf = (address: SQL, emailKey: string): SQL => sql`lower(normalize(trim(${address}), NFKC)) = ${emailKey}`;

/** Messages to support that somebody wrote, and the mails they became where those still wait for a mail server. */
const deleteMessages = async (tx: Ctx, emailKey: string): Promise<void> => {
  await tx.db.delete(contactMessages).where(eq(contactMessages.emailKey, emailKey));
  const { content, recipient } = letters;
  const kind = sql`${content} ->> 'kind'`;
  const toSupport = and(sql`${kind} = 'contact_message'`, isOf(sql`${content} ->> 'email'`, emailKey));
  const copy = and(sql`${kind} = 'contact_copy'`, isOf(sql`${recipient}`, emailKey));
  await tx.db.delete(letters).where(and(isNull(letters.userId), or(toSupport, copy)));
};

/** All that must hold from this moment on, together or not at all. */
const leave = async (tx: Ctx, userId: UserId, passwordHash: string): Promise<LetterId> => {
  const person = await closeUser(tx, { userId, passwordHash });
  if (!person) throw new AppError("wrong_state");
  const accountIds = (await findOwnedAccounts(tx)).map(({ id }) => id);
  await disconnectAll(tx);
  await forgetFigures(tx, { accountIds });
  await tx.db.delete(letters).where(eq(letters.userId, userId));
  // Whoever did not confirm an address may have given somebody else's, whose messages these are.
  if (person.isEmailVerified) await deleteMessages(tx, person.emailKey);
  const requestedAt = tx.now();
  const wakeAt = addMs(requestedAt, PATIENCE_MS);
  await tx.db.insert(erasures).values({ userId, requestedAt, eraseAt: addMs(requestedAt, SETTLE_MS), wakeAt });
  const letter = { kind: "farewell" as const, firstName: person.firstName };
  // About nobody's account: it outlives this one until it is sent.
  return postLetter(tx, { userId: null, recipient: person.email, letter });
};

const announceErasure = async (ctx: Ctx<"jobs">, userId: UserId): Promise<void> => {
  try {
    await ctx.jobs.send([{ name: "privacy/erasure.requested", id: `erase:${userId}:0`, data: { userId } }]);
  } catch (error) {
    // The sweep sends it.
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

/**
 * Deletes the actor, who knows the password (QUALITY §2, row 30). At once: every login ends, tokens are erased, so that
 * no pin goes out any more, and nothing names the person. A durable function erases the rest ({@link eraseUser}).
 * @throws AppError `invalid` with the field; `wrong_state` when the password was changed meanwhile.
 */
export const deleteUser = async (ctx: Ctx<"jobs">, { password }: PasswordInput): Promise<void> => {
  const userId = requireUserId(ctx);
  const { passwordHash } = await confirmPassword(ctx, { password, field: "password" });
  const letterId = await inTransaction(ctx, (tx) => leave(tx, userId, passwordHash));
  await announceLetters(ctx, [letterId]);
  await announceErasure(ctx, userId);
};

type Erasing = { kind: "done" } | { kind: "wait"; afterMs: number };

/** Tables whose rows hold nothing that others need; live events last, for the deletions before them make some. */
const eraseRows = async (ctx: Ctx, userId: UserId): Promise<void> => {
  const own = [oauthStates, pinterestAccounts, logins, emailVerifications, passwordResets, emailChanges] as const;
  for (const table of own) await ctx.db.delete(table).where(eq(table.userId, userId));
  for (const table of [letters, digestEntries, weeklyMails, drawingPlaces, bulkSubmissions])
    await ctx.db.delete(table).where(eq(table.userId, userId));
  await deleteInBatches(ctx.db, { table: savedVideos, key: savedVideos.id, where: eq(savedVideos.userId, userId) });
  await deleteInBatches(ctx.db, { table: liveEvents, key: liveEvents.id, where: eq(liveEvents.userId, userId) });
};

/** Says until when this one works or sleeps; the later of what is known and what is said holds. */
const postpone = async (ctx: Ctx, userId: UserId, eraseAt: Date): Promise<void> => {
  await ctx.db
    .update(erasures)
    .set({ eraseAt, wakeAt: addMs(eraseAt, PATIENCE_MS) })
    .where(and(eq(erasures.userId, userId), isNull(erasures.finishedAt)));
};

/**
 * Erases what a deleted user leaves behind: first a plan is ended at the payment provider and what is being made is given
 * up, and after a while, when nothing can be under way any more, pins, receipts, pictures, videos, accounts, logins and mails go.
 * The ledger and the payments stay, under an id that names nobody. A provider that does not answer holds up nothing but the
 * end: it is asked again. Runs again and goes on from anywhere; two at once do no harm.
 */
export const eraseUser = async (
  ctx: Ctx<"jobs" | "payments" | "storage">,
  { userId }: ErasureRequested,
): Promise<Erasing> => {
  const isOpen = and(eq(erasures.userId, userId), isNull(erasures.finishedAt));
  const [erasure] = await ctx.db.select().from(erasures).where(isOpen);
  if (!erasure) return { kind: "done" };
  const { left } = await endSubscriptions(ctx, { userId });
  const abandoned = await abandonTasks(ctx, { userId });
  const now = await databaseTime(ctx);
  const settledAt = abandoned > 0 ? addMs(now, SETTLE_MS) : now;
  const eraseAt = erasure.eraseAt > settledAt ? erasure.eraseAt : settledAt;
  await postpone(ctx, userId, eraseAt);
  if (eraseAt > now) return { kind: "wait", afterMs: msUntil(eraseAt, now) };
  // Groups before pins, and both before the accounts that they name.
  await eraseGroups(ctx, { userId });
  await erasePins(ctx, { userId });
  await condemnLogos(ctx, { userId });
  await condemnKept(ctx, { userId });
  await eraseRows(ctx, userId);
  while ((await retireImages(ctx)) > 0);
  if (left > 0) {
    // Whose subscription it is stays known until it has ended.
    await postpone(ctx, userId, addMs(now, SETTLE_MS));
    return { kind: "wait", afterMs: SETTLE_MS };
  }
  await forgetPayer(ctx, { userId });
  await ctx.db.update(erasures).set({ finishedAt: sql`now()` }).where(isOpen);
  return { kind: "done" };
};

const takeForgotten = (tx: Ctx): Promise<{ userId: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ userId: erasures.userId })
    .from(erasures)
    .where(and(isNull(erasures.finishedAt), lte(erasures.wakeAt, tx.now())))
    .orderBy(asc(erasures.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  return tx.db
    .update(erasures)
    .set({ sweeps: sql`${erasures.sweeps} + 1`, wakeAt: addMs(tx.now(), PATIENCE_MS) })
    .where(inArray(erasures.userId, forgotten))
    .returning({ userId: erasures.userId, sweeps: erasures.sweeps });
};

/**
 * Sends a new event for each erasure that nobody seems to work on (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after a while.
 */
export const sweepErasures = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ userId, sweeps }) => ({
      name: "privacy/erasure.requested" as const,
      id: `erase:${userId}:${sweeps}`,
      data: { userId },
    })),
  );
  return { sent: swept.length };
};
