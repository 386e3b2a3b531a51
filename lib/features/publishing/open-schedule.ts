import "server-only";
import { and, eq, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId, UserId } from "#lib/core/ids.ts";
import { dropEntries } from "#lib/features/digests/drop-entries.ts";
import { AT_REST } from "#lib/features/pins/policy.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import type { Announced } from "./announce-pins.ts";

/** A pin that rests, and when it is to go out. */
interface Opened {
  pinId: PinId;
  scheduledAt: Date;
}

/**
 * Schedules one pin that is at rest, under a new number: whatever an earlier schedule left under way finds another one
 * and does nothing (R-SRV-03). Records that the user chose it (D9). That it had failed is told to nobody any more. The
 * caller holds its lock, and announces it.
 */
export const openSchedule = async (tx: Ctx, { pinId, scheduledAt }: Opened): Promise<Announced> => {
  const now = tx.now();
  const [row] = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: null,
      chosenAt: now,
      // Until its event is sent: should that never happen, the sweep comes by soon.
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(eq(pins.id, pinId), inArray(pins.status, AT_REST)))
    .returning();
  if (!row) throw new AppError("internal", { cause: new Error(`Pin ${pinId} was not at rest.`) });
  // Rows of this table hold the ids of users.
  await dropEntries(tx, { userIds: [row.userId as UserId], kind: "pins_failed", about: [pinId] });
  const { id, accountId, scheduleGeneration } = toPin(row);
  return { pinId: id, accountId, scheduleGeneration };
};
