import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso } from "#lib/core/time.ts";
import { TEXTS } from "./constants.ts";
import { movePin } from "./move-pin.ts";
import type { RescheduledWire, ScheduledPinInput } from "./schema.ts";

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
