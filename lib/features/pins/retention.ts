import "server-only";
import { and, asc, eq, inArray, lte } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { PURGE_STEP_MS, RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { markImagesForDeletion, orphanImage } from "./images.ts";
import { imageKeysOf } from "./policy.ts";
import { findFormatKeys } from "./queries.ts";

const BATCH = 200;

const eraseBatch = async (tx: Ctx, userId: UserId): Promise<number> => {
  const accounts = tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.userId, userId));
  const rows = await tx.db
    .select({ id: pins.id, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(inArray(pins.accountId, accounts))
    // Locks in the order of ids, like all other code that locks several pins.
    .orderBy(asc(pins.id))
    .limit(BATCH)
    .for("update");
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const imageKeys = [...rows.flatMap(imageKeysOf), ...(await findFormatKeys(tx, ids))];
  await markImagesForDeletion(tx, { imageKeys, erasedUserId: userId });
  await tx.db.delete(pins).where(isAnyOf(pins.id, ids));
  return rows.length;
};

export const erasePins = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  while ((await inTransaction(ctx, (tx) => eraseBatch(tx, userId))) > 0);
};

const PURGE_BATCH = 200;

const isDue = (through: Date) => and(eq(pins.status, "deleted"), lte(pins.deletedAt, through));

/** One user at a time: deletions write live events, and locking several users' streams could deadlock. */
const purgeBatch = async (tx: Ctx, through: Date, userId: UserId): Promise<number> => {
  const rows = await tx.db
    .select({ id: pins.id, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(and(isDue(through), eq(pins.userId, userId)))
    .orderBy(asc(pins.id))
    .limit(PURGE_BATCH)
    .for("update", { skipLocked: true });
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  // Sorted to avoid deadlocks, because several pins may share an image.
  const imageKeys = [...new Set([...rows.flatMap(imageKeysOf), ...(await findFormatKeys(tx, ids))])].toSorted();
  for (const imageKey of imageKeys) await orphanImage(tx, { imageKey });
  await tx.db.delete(pins).where(isAnyOf(pins.id, ids));
  return ids.length;
};

/** Pins and attempt logs a day after deletion, for at most about `maxMs`; images follow later. @returns how many pins */
export const purgePins = async (ctx: Ctx, maxMs = PURGE_STEP_MS): Promise<number> => {
  const endsAtMs = performance.now() + maxMs;
  const through = addMs(ctx.now(), -RETENTION_MS.deletedPin);
  let purged = 0;
  const owners = await ctx.db.selectDistinct({ userId: pins.userId }).from(pins).where(isDue(through));
  for (const { userId } of owners) {
    for (let last = PURGE_BATCH; last === PURGE_BATCH; purged += last) {
      last = await inTransaction(ctx, (tx) => purgeBatch(tx, through, userId));
    }
    if (performance.now() >= endsAtMs) break;
  }
  return purged;
};
