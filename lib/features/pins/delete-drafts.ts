import "server-only";
import { inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { dropEntries } from "#lib/features/digests/drop-entries.ts";
import { TEXTS } from "./constants.ts";
import { lockPins } from "./lock-pins.ts";
import { isAtRest } from "./policy.ts";
import type { PinIdsInput } from "./schema.ts";

/**
 * Deletes drafts and failed pins, all of them or none. They are gone for everybody at once, and can be brought back
 * until they are swept (`restoreDrafts`, `retirePins`). What is on Pinterest already stays there.
 * @throws AppError `not_found`; `wrong_state` when one is scheduled or published.
 */
export const deleteDrafts = (ctx: Ctx, { pinIds }: PinIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds });
    if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notDeletable });
    await tx.db
      .update(pins)
      .set({ status: "deleted", deletedFrom: sql`${pins.status}`, deletedAt: tx.now(), updatedAt: tx.now() })
      .where(inArray(pins.id, [...pinIds]));
    // Nobody is told of what they have seen and thrown away.
    await dropEntries(tx, { userIds: [requireUserId(ctx)], kind: "pins_failed", about: pinIds });
    tx.log.set({ pins_touched: locked.length });
  });
