import "server-only";
import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { publishEventId } from "./policy.ts";

/** A schedule that was just committed. */
export interface Announced {
  pinId: PinId;
  accountId: AccountId;
  scheduleGeneration: number;
}

/** From here on it is the engine's turn, until each pin is due. */
const handOver = async (ctx: Ctx, pinIds: readonly PinId[]): Promise<void> => {
  // Locked by id, as everybody does: in another order this and the next schedule of the same pins block each other.
  const waiting = ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(inArray(pins.id, [...pinIds]), eq(pins.status, "scheduled"), lt(pins.wakeAt, pins.scheduledAt)))
    .orderBy(asc(pins.id))
    .for("update");
  await ctx.db
    .update(pins)
    .set({ wakeAt: sql`${pins.scheduledAt}` })
    .where(inArray(pins.id, waiting));
};

/**
 * Sends one event for each new schedule, under an id of its own. Called after the commit: when the durable engine does
 * not take them, or that it did cannot be noted, the schedule holds all the same, and the sweep finds it (DESIGN §5.6).
 */
export const announcePins = async (ctx: Ctx<"jobs">, schedules: readonly Announced[]): Promise<void> => {
  const events = schedules.map((data) => ({
    name: "pins/publish.requested" as const,
    id: publishEventId(data.pinId, data.scheduleGeneration, 0),
    data: { ...data, sweeps: 0 },
  }));
  try {
    await ctx.jobs.send(events);
    await handOver(
      ctx,
      schedules.map(({ pinId }) => pinId),
    );
  } catch (error) {
    ctx.log.set({ jobs_error: messageOf(error), events_left_to_sweep: events.length });
  }
};
