import { z } from "zod";
import { type AccountId, type AttemptId, isId, type PinId } from "#lib/core/ids.ts";
import { BATCH_MAX, TEXTS } from "./constants.ts";
import { isInterval } from "./policy.ts";

/** An id as it comes from outside: any short text; whether it names something of the caller is the gate's to say. */
const isOpaqueId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 100;

// Made of `custom` and `refine` alone, whose texts reach people as they stand (R-SCH-04).
const pinIds = z
  .custom<unknown[]>((value) => Array.isArray(value) && value.length > 0, TEXTS.nothingSelected)
  .refine((ids) => ids.length <= BATCH_MAX, TEXTS.tooMany)
  .refine((ids): ids is string[] => ids.every(isOpaqueId), TEXTS.idInvalid)
  .refine((ids) => new Set(ids).size === ids.length, TEXTS.duplicates);

const isMoment = (value: unknown): value is string => z.iso.datetime({ offset: true }).safeParse(value).success;

/** POST /api/users/pinterest/batch-publish-pins/ (R-SCH-06). `start` is ours: absent, the first pin goes out at once. */
export const scheduleBatchInput = z
  .object({
    post_ids: pinIds,
    interval_minutes: z.custom<number>(
      (value) => typeof value === "number" && isInterval(value),
      TEXTS.intervalInvalid,
    ),
    start: z.custom<string>(isMoment, TEXTS.startInvalid).nullish(),
  })
  .transform((raw) => ({
    pinIds: raw.post_ids,
    intervalMinutes: raw.interval_minutes,
    start: raw.start ? new Date(raw.start) : null,
  }));
export type ScheduleBatchInput = z.output<typeof scheduleBatchInput>;

/** R-ENT-11 */
export interface ScheduledWire {
  /** ISO 8601: when the last pin of the batch is due. */
  last_publish: string;
}

export const noInput = z.unknown().transform(() => undefined);

/** An account that must be connected again. */
export interface LostAccountWire {
  id: string;
  username: string;
  /** Scheduled pins that go out once it is. */
  waiting_pins: number;
}

/** What makes two pins nearly the same. */
export type TwinBy = "picture" | "title" | "both";

/** One pin of a plan, and what speaks against it. */
export interface PreviewedSlotWire {
  post_id: string;
  due_at: string;
  /** The scheduled pin of the account that goes out closest to it, where that is too close. */
  clash: { title: string; scheduled_at: string } | null;
  /** What it is nearly the same as; `at` tells when that one goes or went out. */
  twin: {
    title: string;
    image_url: string;
    by: TwinBy;
    status: "selected" | "scheduled" | "published";
    at: string | null;
  } | null;
}

/** What scheduling drafts would mean, slots in their order. */
export interface PreviewWire {
  start: string;
  slots: PreviewedSlotWire[];
  /** A later start from which nothing clashes; null when nothing does, or none was found. */
  free_start: string | null;
}

export const scheduledPinInput = z.object({ pinId: z.custom<string>(isOpaqueId, TEXTS.idInvalid) });
export type ScheduledPinInput = z.output<typeof scheduledPinInput>;

/** Another time for a scheduled pin. */
export const reschedulePinInput = z.object({
  ...scheduledPinInput.shape,
  at: z.custom<string>(isMoment, TEXTS.startInvalid).transform((at) => new Date(at)),
});
export type ReschedulePinInput = z.output<typeof reschedulePinInput>;

export interface RescheduledWire {
  /** ISO 8601: when the pin is due now. */
  scheduled_at: string;
}

/** Data of the event that starts a pin's run. Its values come from our own rows. */
export const publishRequested = z.object({
  pinId: z.custom<PinId>((value) => isId("pin", value)),
  accountId: z.custom<AccountId>((value) => isId("account", value)),
  scheduleGeneration: z.number().int().min(1),
  /** How often this schedule's event was sent again before; absent in events of earlier versions. */
  sweeps: z.number().int().min(0).default(0),
});
export type PublishRequested = z.output<typeof publishRequested>;

/** One schedule of one pin: what a run works on. A later schedule has another generation. */
export interface ScheduledPin {
  pinId: PinId;
  scheduleGeneration: number;
}

/** One attempt of a schedule. */
export interface PinAttempt extends ScheduledPin {
  attemptId: AttemptId;
}

/** How an attempt ends (the receipt's word for it), and what becomes of its pin. */
export type Ruling =
  | { kind: "published"; outcome: "created" | "found"; pinterestPinId: string; publishedAt: Date }
  | { kind: "failed"; outcome: "rejected" | "unclear" | "abandoned"; reason: string; mayBePublished: boolean }
  | { kind: "draft"; outcome: "later" | "unclear" | "abandoned"; reason: string | null; mayBePublished: boolean }
  /** Stays scheduled; a new attempt may begin then. */
  | { kind: "again"; outcome: "later" | "absent"; reason: string | null; at: Date }
  /** Stays scheduled until the account is connected again. */
  | { kind: "held"; outcome: "later"; reason: string };

/** What a step tells the run to do next, and after how many milliseconds: a duration is the same on every clock. */
export type Move =
  | { kind: "done"; result: "published" | "failed" | "draft" | "held" | "superseded" }
  | { kind: "wait"; afterMs: number }
  | { kind: "look"; afterMs: number };
