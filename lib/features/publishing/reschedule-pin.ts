import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso } from "#lib/core/time.ts";
import { TEXTS } from "./constants.ts";
import { movePin } from "./move-pin.ts";
import { planStart } from "./plan-start.ts";
import type { RescheduledWire, ReschedulePinInput } from "./schema.ts";

/**
 * Gives a scheduled pin another time (DESIGN §5.4).
 * @throws AppError `not_found`; `invalid` for a time that has passed or lies more than a year ahead; `wrong_state` when it
 * is not scheduled, or being published.
 */
export const reschedulePin = async (ctx: Ctx<"jobs">, { pinId, at }: ReschedulePinInput): Promise<RescheduledWire> => {
  const scheduledAt = await movePin(ctx, {
    pinId,
    from: ["scheduled"],
    refusal: TEXTS.notScheduled,
    timeOf: (now) => planStart(at, now),
  });
  return { scheduled_at: toIso(scheduledAt) };
};
