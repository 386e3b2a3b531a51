import "server-only";
import { asc, eq, inArray } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { condemnImages } from "./condemn-images.ts";
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
