import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { addMs, toIso } from "#lib/core/time.ts";
import { PATIENCE_MS, TEXTS } from "./constants.ts";
import { publishEventId } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import { movePin } from "./scheduling.ts";
import type { PublishRequested, RescheduledWire, ScheduledPinInput } from "./schema.ts";

/**
 * Has a draft or a scheduled pin go out at once (DESIGN §5.4).
 * @throws AppError `not_found`; `wrong_state` when it is published or failed, or being published.
 */
export const publishNow = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<RescheduledWire> => {
  const scheduledAt = await movePin(ctx, {
    pinId,
    from: ["draft", "scheduled"],
    refusal: TEXTS.notPublishable,
    timeOf: (now) => now,
  });
  return { scheduled_at: toIso(scheduledAt) };
};

/**
 * Schedules a failed pin for now. One that may be published keeps that mark, and so the first thing its run does is
 * to look at the board (R-SRV-03).
 * @throws AppError `not_found`; `wrong_state` when it is not failed.
 */
export const retryPin = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<void> => {
  await movePin(ctx, { pinId, from: ["failed"], refusal: TEXTS.notFailed, timeOf: (now) => now });
};

/** Counts the next event of the schedule; false when it is over, or when others have sent later ones. */
const countEvent = async (tx: Ctx, requested: PublishRequested): Promise<boolean> => {
  const pin = (await lockScheduledPin(tx, requested))?.pin;
  if (!pin) return false;
  const counted = await tx.db
    .update(pins)
    .set({
      sweeps: requested.sweeps + 1,
      wakeAt: sql`greatest(${pins.scheduledAt}, ${addMs(tx.now(), PATIENCE_MS).toISOString()}::timestamptz)`,
    })
    // Counted already: by this very step, which runs again, or by the sweep, whose event bears the same id.
    .where(and(eq(pins.id, pin.id), sql`${pins.sweeps} <= ${requested.sweeps + 1}`))
    .returning({ id: pins.id });
  return counted.length > 0;
};

/**
 * Has a pin whose run has used up its steps worked on by a new run, at once: the sweep would notice only minutes
 * later. The new event's id follows from the old one's, so that doing it twice starts one run.
 * @throws when the engine does not take the event
 */
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
