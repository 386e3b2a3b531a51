import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { addMs, toIso } from "#lib/core/time.ts";
import { STALE_AFTER_MS, TEXTS } from "./constants.ts";
import { publishEventId } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import { movePin } from "./scheduling.ts";
import type { PublishRequested, RescheduledWire, ScheduledPinInput } from "./schema.ts";

/** @throws AppError `not_found`; `wrong_state` when it is published, failed, or being published */
export const publishNow = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<RescheduledWire> => {
  const scheduledAt = await movePin(ctx, {
    pinId,
    from: ["draft", "scheduled"],
    refusal: TEXTS.notPublishable,
    timeOf: (now) => now,
  });
  return { scheduled_at: toIso(scheduledAt) };
};

/** If it may be published, the run checks the board first. @throws AppError `not_found`; `wrong_state` unless failed */
export const retryPin = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<void> => {
  await movePin(ctx, { pinId, from: ["failed"], refusal: TEXTS.notFailed, timeOf: (now) => now });
};

/** Counts the schedule's next event; false when the schedule is over or later events were sent. */
const countEvent = async (tx: Ctx, requested: PublishRequested): Promise<boolean> => {
  const pin = (await lockScheduledPin(tx, requested))?.pin;
  if (!pin) return false;
  const counted = await tx.db
    .update(pins)
    .set({
      sweeps: requested.sweeps + 1,
      wakeAt: sql`greatest(${pins.scheduledAt}, ${addMs(tx.now(), STALE_AFTER_MS).toISOString()}::timestamptz)`,
    })
    // Already counted: by this step when it runs again, or by the sweep, whose event has the same id.
    .where(and(eq(pins.id, pin.id), sql`${pins.sweeps} <= ${requested.sweeps + 1}`))
    .returning({ id: pins.id });
  return counted.length > 0;
};

/** The event's id derives from the old one's, so a repeat starts one run. @throws when the engine does not take it */
export const resendPin = async (ctx: Ctx<"jobs">, requested: PublishRequested): Promise<"sent" | "not_needed"> => {
  const isNeeded = await inTransaction(ctx, (tx) => countEvent(tx, requested));
  if (!isNeeded) return "not_needed";
  const { pinId, accountId, scheduleGeneration } = requested;
  const sweeps = requested.sweeps + 1;
  await ctx.jobs.send([
    {
      name: "pins/publish.requested",
      id: publishEventId(pinId, scheduleGeneration, sweeps),
      data: { pinId, accountId, scheduleGeneration, sweeps },
    },
  ]);
  return "sent";
};
