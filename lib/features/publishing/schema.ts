import { z } from "zod";
import { type AccountId, type AttemptId, isId, type PinId } from "#lib/core/ids.ts";
import { BATCH_MAX, TEXTS } from "./constants.ts";
import { isInterval } from "./policy.ts";

/** An id as it comes from outside: any short text; whether it names something of the caller is the gate's to say. */
const opaqueId = z.string("An id is needed.").min(1, "An id is needed.").max(100, "This is not an id of ours.");

const postIds = z
  .array(opaqueId, TEXTS.nothingSelected)
  .min(1, TEXTS.nothingSelected)
  .max(BATCH_MAX, TEXTS.tooMany)
  .refine((ids) => new Set(ids).size === ids.length, TEXTS.duplicates);

/** POST /api/users/pinterest/batch-publish-pins/ (R-SCH-06). `start` is ours: absent, the first pin goes out at once. */
export const scheduleBatchInput = z
  .object({
    post_ids: postIds,
    interval_minutes: z.number(TEXTS.intervalInvalid).refine(isInterval, TEXTS.intervalInvalid),
    start: z.iso.datetime({ offset: true, error: TEXTS.startInvalid }).nullish(),
  })
  .transform((raw) => ({
    postIds: raw.post_ids,
    intervalMinutes: raw.interval_minutes,
    start: raw.start ? new Date(raw.start) : null,
  }));
export type ScheduleBatchInput = z.output<typeof scheduleBatchInput>;

/** R-ENT-11 */
export interface ScheduledWire {
  /** ISO 8601: when the last pin of the batch is due. */
  last_publish: string;
}

export const scheduledPinInput = z.object({ pinId: opaqueId });
export type ScheduledPinInput = z.output<typeof scheduledPinInput>;

/** Data of the event that starts a pin's run. Its values come from our own rows. */
export const publishRequested = z.object({
  pinId: z.custom<PinId>((value) => isId("pin", value)),
  accountId: z.custom<AccountId>((value) => isId("account", value)),
  scheduleGeneration: z.number().int().min(1),
});

/** One schedule of one pin: what a run works on. A later schedule has another generation. */
export interface ScheduledPin {
  pinId: PinId;
  scheduleGeneration: number;
}

/** One attempt of a schedule. */
export interface PinAttempt extends ScheduledPin {
  attemptId: AttemptId;
}
