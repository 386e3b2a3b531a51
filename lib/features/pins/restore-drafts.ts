import "server-only";
import { inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { lockPins } from "./lock-pins.ts";
import type { PinIdsInput } from "./schema.ts";

/**
 * Brings deleted pins back as they were, all of them or none: the undoing of `deleteDrafts`.
 * @throws AppError `not_found` when one is not deleted, or was swept already.
 */
export const restoreDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds, isDeleted: true });
    await tx.db
      .update(pins)
      .set({ status: sql`${pins.deletedFrom}`, deletedFrom: null, deletedAt: null, updatedAt: tx.now() })
      .where(inArray(pins.id, [...pinIds]));
    tx.log.set({ pins_touched: locked.length });
  });
