import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso } from "#lib/core/time.ts";
import { TEXTS } from "./constants.ts";
import { movePin } from "./scheduling.ts";
import type { RescheduledWire, ScheduledPinInput } from "./schema.ts";

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
