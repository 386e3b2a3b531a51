import { z } from "zod";
import { type AccountId, type AttemptId, isId, type PinId } from "#lib/core/ids.ts";
import { BATCH_MAX, TEXTS } from "./constants.ts";
import { isInterval } from "./policy.ts";

/** Any short text; the guards check whether it is an id of the user's. */
const isOpaqueId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 100;

// Only `custom` and `refine`, whose texts reach users unchanged.
const pinIds = z
  .custom<unknown[]>((value) => Array.isArray(value) && value.length > 0, TEXTS.nothingSelected)
  .refine((ids) => ids.length <= BATCH_MAX, TEXTS.tooMany)
  .refine((ids): ids is string[] => ids.every(isOpaqueId), TEXTS.idInvalid)
  .refine((ids) => new Set(ids).size === ids.length, TEXTS.duplicates);

const isDateTime = (value: unknown): value is string => z.iso.datetime({ offset: true }).safeParse(value).success;

/** POST /api/users/pinterest/batch-publish-pins/. Without `start`, the first pin goes out at once. */
export const scheduleBatchInput = z
  .object({
    post_ids: pinIds,
    interval_minutes: z.custom<number>(
      (value) => typeof value === "number" && isInterval(value),
      TEXTS.intervalInvalid,
    ),
    start: z.custom<string>(isDateTime, TEXTS.startInvalid).nullish(),
  })
  .transform((raw) => ({
    pinIds: raw.post_ids,
    intervalMinutes: raw.interval_minutes,
    start: raw.start ? new Date(raw.start) : null,
  }));
export type ScheduleBatchInput = z.output<typeof scheduleBatchInput>;

export interface ScheduledWire {
  last_publish: string;
}

export interface DisconnectedAccountWire {
  id: string;
  username: string;
  waiting_pins: number;
}

export type DuplicateBy = "image" | "title" | "both";

export interface PreviewedSlotWire {
  post_id: string;
  due_at: string;
  /** The closest scheduled pin of the account, when it is too close. */
  clash: { title: string; scheduled_at: string } | null;
  /** What it duplicates; `at`: when that pin goes out or went out. */
  duplicate: {
    title: string;
    image_url: string;
    by: DuplicateBy;
    status: "selected" | "scheduled" | "published";
    at: string | null;
  } | null;
}

export interface PreviewWire {
  start: string;
  slots: PreviewedSlotWire[];
  /** A later start without clashes; null when there are none now, or no such start was found. */
  free_start: string | null;
  /** When the first connection ends that has pins of this plan after its end; null when none does. */
  renewal_due: string | null;
}

export const scheduledPinInput = z.object({ pinId: z.custom<string>(isOpaqueId, TEXTS.idInvalid) });
export type ScheduledPinInput = z.output<typeof scheduledPinInput>;

export const reschedulePinInput = z.object({
  ...scheduledPinInput.shape,
  at: z.custom<string>(isDateTime, TEXTS.startInvalid).transform((at) => new Date(at)),
});
export type ReschedulePinInput = z.output<typeof reschedulePinInput>;

export const overdueInput = z.object({ accountId: z.custom<string>(isOpaqueId, TEXTS.idInvalid) });
export type OverdueInput = z.output<typeof overdueInput>;

export interface PublishedRestWire {
  /** How many pins now publish a minute apart; those being published at that moment are left alone. */
  moved: number;
}

export interface RescheduledWire {
  scheduled_at: string;
}

export const publishRequested = z.object({
  pinId: z.custom<PinId>((value) => isId("pin", value)),
  accountId: z.custom<AccountId>((value) => isId("account", value)),
  scheduleGeneration: z.number().int().min(1),
});

export interface ScheduledPin {
  pinId: PinId;
  scheduleGeneration: number;
}

export interface PinAttempt extends ScheduledPin {
  attemptId: AttemptId;
}

/** How an attempt ends (`outcome`), and what happens to its pin (`kind`). */
export type Decision =
  | { kind: "published"; outcome: "created" | "found"; pinterestPinId: string; publishedAt: Date }
  | { kind: "failed"; outcome: "rejected" | "unclear" | "abandoned"; reason: string; mayBePublished: boolean }
  | { kind: "draft"; outcome: "later" | "unclear" | "abandoned"; reason: string | null; mayBePublished: boolean }
  | { kind: "retry"; outcome: "later" | "absent"; reason: string | null; at: Date }
  /** Stays scheduled until the account is reconnected. */
  | { kind: "held"; outcome: "later"; reason: string };

/** What a run does next, and after how many milliseconds: durations are the same on every clock. */
export type Move =
  | { kind: "done"; result: "published" | "failed" | "draft" | "held" | "superseded" }
  | { kind: "wait"; afterMs: number }
  | { kind: "check_board"; afterMs: number };
