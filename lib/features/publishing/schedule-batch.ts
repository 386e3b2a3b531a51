import "server-only";
import { and, eq, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { lockPins } from "#lib/features/pins/lock-pins.ts";
import { type Pin, toPin } from "#lib/features/pins/queries.ts";
import { announcePins } from "./announce-pins.ts";
import { TEXTS } from "./constants.ts";
import { planStart } from "./plan-start.ts";
import { planSlots } from "./policy.ts";
import type { ScheduleBatchInput } from "./schema.ts";

/** A batch that was scheduled: when its last pin is due. */
export interface ScheduledBatch {
  lastPublishAt: Date;
}

const writeSlots = async (tx: Ctx, slots: { id: string; dueAt: Date }[]): Promise<Pin[]> => {
  const now = tx.now();
  const ids = slots.map(({ id }) => id);
  const dueAt = sql.join(
    slots.map((slot) => sql`when ${slot.id} then ${slot.dueAt.toISOString()}::timestamptz`),
    sql` `,
  );
  const rows = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt: sql`case ${pins.id} ${dueAt} end`,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: tx.newId("batch"),
      chosenAt: now,
      // Until its event is sent: should that never happen, the sweep comes by soon.
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(inArray(pins.id, ids), eq(pins.status, "draft")))
    .returning();
  return rows.map(toPin);
};

/**
 * Schedules drafts in the order given, all of them or none (R-SCH-06, R-SCH-09, R-SCH-10, A-34, A-35), and records
 * that the user chose each of them (D9).
 * @throws AppError `not_found` when one is not the actor's; `wrong_state` when one is no draft; `invalid`.
 */
export const scheduleBatch = async (ctx: Ctx<"jobs">, input: ScheduleBatchInput): Promise<ScheduledBatch> => {
  const { scheduled, lastPublishAt } = await inTransaction(ctx, async (tx) => {
    const start = planStart(input.start, tx.now());
    const slots = planSlots(input.postIds, start, input.intervalMinutes);
    const own = await lockPins(tx, { pinIds: input.postIds });
    if (own.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    const written = await writeSlots(tx, slots);
    if (written.length < slots.length) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    return { scheduled: written, lastPublishAt: slots.at(-1)?.dueAt ?? start };
  });
  ctx.log.set({ pins_scheduled: scheduled.length });
  await announcePins(
    ctx,
    scheduled.map(({ id, accountId, scheduleGeneration }) => ({ pinId: id, accountId, scheduleGeneration })),
  );
  return { lastPublishAt };
};
