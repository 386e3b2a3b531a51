import "server-only";
import type { Ctx } from "#lib/context.ts";
import { TEXTS } from "./constants.ts";
import { movePin } from "./move-pin.ts";
import type { ScheduledPinInput } from "./schema.ts";

/**
 * Schedules a failed pin for now. One that may be published keeps that mark, and so the first thing its run does is
 * to look at the board (R-SRV-03).
 * @throws AppError `not_found`; `wrong_state` when it is not failed.
 */
export const retryPin = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<void> => {
  await movePin(ctx, { pinId, from: ["failed"], refusal: TEXTS.notFailed, timeOf: (now) => now });
};
