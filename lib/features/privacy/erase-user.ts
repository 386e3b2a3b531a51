import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import { digestEntries } from "#db/schema/digests.ts";
import { drawingPlaces } from "#db/schema/drawing.ts";
import { emailChanges, emailVerifications, logins, passwordResets } from "#db/schema/identity.ts";
import { letters } from "#db/schema/letters.ts";
import { liveEvents } from "#db/schema/live.ts";
import { erasures } from "#db/schema/privacy.ts";
import { weeklyMails } from "#db/schema/results.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { endSubscriptions } from "#lib/features/billing/end-subscriptions.ts";
import { forgetPayer } from "#lib/features/billing/forget-payer.ts";
import { condemnLogos } from "#lib/features/branding/condemn-logos.ts";
import { abandonTasks } from "#lib/features/generation/abandon-tasks.ts";
import { eraseGroups } from "#lib/features/generation/erase-groups.ts";
import { retireImages } from "#lib/features/generation/retire-images.ts";
import { condemnKept } from "#lib/features/pins/condemn-kept.ts";
import { erasePins } from "#lib/features/pins/erase-pins.ts";
import { PATIENCE_MS, SETTLE_MS } from "./constants.ts";
import type { ErasureRequested } from "./schema.ts";

export type Erasing = { kind: "done" } | { kind: "wait"; afterMs: number };

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
