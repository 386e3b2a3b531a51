import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type Pin, requireOwnedPin, toPin } from "#lib/features/pins/queries.ts";
import { announcePins } from "./announce-pins.ts";
import { TEXTS } from "./constants.ts";
import type { ScheduledPinInput } from "./schema.ts";

const scheduleNow = async (tx: Ctx, { id }: Pin) => {
  const now = tx.now();
  const [row] = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt: now,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: null,
      chosenAt: now,
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(eq(pins.id, id), eq(pins.status, "failed")))
    .returning();
  return row;
};

/**
 * Schedules a failed pin for now. One that may be published keeps that mark, and so the first thing its run does is
 * to look at the board (R-SRV-03).
 * @throws AppError `not_found`; `wrong_state` when it is not failed.
 */
export const retryPin = async (ctx: Ctx<"jobs">, input: ScheduledPinInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  const row = await inTransaction(ctx, (tx) => scheduleNow(tx, pin));
  if (!row) throw new AppError("wrong_state", { text: TEXTS.notFailed });
  const { id, accountId, scheduleGeneration } = toPin(row);
  await announcePins(ctx, [{ pinId: id, accountId, scheduleGeneration }]);
};
