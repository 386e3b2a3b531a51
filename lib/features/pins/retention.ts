import "server-only";
import { and, asc, eq, inArray, lte } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { condemnImages, orphanImage } from "./images.ts";
import { imageKeysOf } from "./policy.ts";

const BATCH = 200;

const eraseSome = async (tx: Ctx, userId: UserId): Promise<number> => {
  const accounts = tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.userId, userId));
  const rows = await tx.db
    .select({ id: pins.id, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(inArray(pins.accountId, accounts))
    // Locked in the order of their ids, as everybody does who takes several pins at once.
    .orderBy(asc(pins.id))
    .limit(BATCH)
    .for("update");
  if (rows.length === 0) return 0;
  await condemnImages(tx, { imageKeys: rows.flatMap(imageKeysOf) });
  const ids = rows.map(({ id }) => id);
  await tx.db.delete(pins).where(inArray(pins.id, ids));
  return rows.length;
};

/**
 * Deletes a user's pins with their receipts and condemns their pictures, some at a time. A run that works on one finds
 * it gone and ends. What is on Pinterest stays there.
 */
export const erasePins = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  while ((await inTransaction(ctx, (tx) => eraseSome(tx, userId))) > 0);
};

const RETIRE_BATCH = 200;

const isDue = (through: Date) => and(eq(pins.status, "deleted"), lte(pins.deletedAt, through));

/** Of one user at a time: deleting tells their streams, and locks of several would be taken in any order. */
const retireSome = async (tx: Ctx, through: Date, userId: UserId): Promise<number> => {
  const rows = await tx.db
    .select({ id: pins.id, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(and(isDue(through), eq(pins.userId, userId)))
    .orderBy(asc(pins.id))
    .limit(RETIRE_BATCH)
    .for("update", { skipLocked: true });
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  // In one order everywhere, for several pins may have the same picture.
  const imageKeys = [...new Set(rows.flatMap(imageKeysOf))].toSorted();
  for (const imageKey of imageKeys) await orphanImage(tx, { imageKey });
  await tx.db.delete(pins).where(inArray(pins.id, ids));
  return ids.length;
};

/**
 * Deletes for good, with their receipts, the pins that were deleted a day ago or earlier. Their pictures become orphans
 * and go later, unless another pin has them. @returns how many pins went.
 */
export const retirePins = async (ctx: Ctx): Promise<number> => {
  const through = addMs(ctx.now(), -RETENTION_MS.deletedPin);
  let retired = 0;
  const owners = await ctx.db.selectDistinct({ userId: pins.userId }).from(pins).where(isDue(through));
  for (const { userId } of owners) {
    for (let last = RETIRE_BATCH; last === RETIRE_BATCH; retired += last) {
      last = await inTransaction(ctx, (tx) => retireSome(tx, through, userId));
    }
  }
  return retired;
};
