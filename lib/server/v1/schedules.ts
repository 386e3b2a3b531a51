import "server-only";
import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { dateTime, opaqueId } from "#lib/features/pins/schema.ts";
import { BATCH_MAX, INTERVAL_MAX_MINUTES, INTERVAL_MIN_MINUTES, TEXTS } from "#lib/features/publishing/constants.ts";
import { publishNow, retryPin } from "#lib/features/publishing/retries.ts";
import { reschedulePin, scheduleAt, scheduleBatch, unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { listOf } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";
import { pin, readOnePin, readPins } from "./pin-fields.ts";
import { pinParams } from "./pins.ts";

const at = dateTime(TEXTS.startInvalid).meta({
  description: "A time with a UTC offset, up to a year ahead. Up to a minute in the past counts as now.",
  format: "date-time",
});

const batch = z
  .strictObject({
    pin_ids: z
      .array(opaqueId, TEXTS.nothingSelected)
      .min(1, TEXTS.nothingSelected)
      .max(BATCH_MAX, TEXTS.tooMany)
      .refine((ids) => new Set(ids).size === ids.length, TEXTS.duplicates)
      .meta({ description: "Drafts, in the order in which they go out." }),
    interval_minutes: z
      .number(TEXTS.intervalInvalid)
      .int(TEXTS.intervalInvalid)
      .min(INTERVAL_MIN_MINUTES, TEXTS.intervalInvalid)
      .max(INTERVAL_MAX_MINUTES, TEXTS.intervalInvalid)
      .meta({ description: "Minutes between pins." }),
    start: at.nullish().meta({ description: "When the first pin is published. Defaults to now." }),
  })
  .meta({ id: "NewSchedule" });

const scheduleOne = async (ctx: FullCtx, pinId: string, time: Date): Promise<void> => {
  const { pin: owned } = await requireOwnedPin(ctx, pinId);
  if (owned.status === "scheduled") await reschedulePin(ctx, { pinId, at: time });
  else await scheduleAt(ctx, [{ id: pinId, dueAt: time }]);
};

/**
 * A failed pin is tried again; one that may be published is looked for on its board first. A repeated request doesn't
 * retry: the failure may be its own, and another attempt needs a new Idempotency-Key.
 */
const publishOne = async (ctx: FullCtx, pinId: string, isAgain: boolean): Promise<void> => {
  const { pin: owned } = await requireOwnedPin(ctx, pinId);
  if (isAgain && owned.status === "failed") {
    throw new AppError("wrong_state", { text: "This pin failed. Use a new Idempotency-Key to try it again." });
  }
  await (owned.status === "failed" ? retryPin(ctx, { pinId }) : publishNow(ctx, { pinId }));
};

const shared = { tag: "Pins", scope: "schedule:write", limit: "schedule", method: "POST" } as const;

export const scheduleOperations: readonly Operation[] = [
  operation({
    ...{ ...shared, id: "schedulePins", path: "/schedules" },
    summary: "Schedule drafts at an interval",
    description: "All or none. Each pin is published once, and not before its time.",
    body: batch,
    ...{ status: 201, response: listOf(pin).meta({ id: "ScheduledPins" }), errors: ["not_found", "wrong_state"] },
    run: async (ctx, { body }) => {
      const { pin_ids: pinIds, interval_minutes: intervalMinutes, start } = body;
      await scheduleBatch(ctx, { pinIds, intervalMinutes, start: start ?? null });
      return { data: await readPins(ctx, pinIds) };
    },
  }),
  operation({
    ...{ ...shared, id: "schedulePin", path: "/pins/{pin_id}/schedule" },
    summary: "Schedule a draft, or move a scheduled pin",
    params: pinParams,
    body: z.strictObject({ at }).meta({ id: "PinTime" }),
    ...{ response: pin, errors: ["not_found", "wrong_state"] },
    run: async (ctx, { params, body }) => {
      await scheduleOne(ctx, params.pin_id, body.at);
      return readOnePin(ctx, params.pin_id);
    },
  }),
  operation({
    ...{ ...shared, id: "unschedulePin", path: "/pins/{pin_id}/unschedule" },
    summary: "Make a scheduled pin a draft again",
    params: pinParams,
    ...{ response: pin, errors: ["not_found", "wrong_state"] },
    run: async (ctx, { params }) => {
      await unschedulePin(ctx, { pinId: params.pin_id });
      return readOnePin(ctx, params.pin_id);
    },
  }),
  operation({
    ...{ ...shared, id: "publishPin", path: "/pins/{pin_id}/publish" },
    summary: "Publish a pin now",
    description: "A draft or a scheduled pin goes out at once; a failed one is tried again.",
    params: pinParams,
    ...{ status: 202, response: pin, errors: ["not_found", "wrong_state"] },
    run: async (ctx, { params, isAgain }) => {
      await publishOne(ctx, params.pin_id, isAgain);
      return readOnePin(ctx, params.pin_id);
    },
  }),
];
