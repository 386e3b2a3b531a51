import { z } from "zod";
import { dateTime } from "#lib/features/pins/schema.ts";
import { BATCH_MAX, TEXTS as PUBLISHING_TEXTS } from "#lib/features/publishing/constants.ts";
import type { PreviewWire } from "#lib/features/publishing/schema.ts";
import {
  AWAKE_MIN_MINUTES,
  NUMBER_RANGES,
  PACE_RULES,
  type PaceNumbers,
  type PaceRule,
  type PresetName,
  REASON_MAX,
  TEXTS,
} from "./constants.ts";
import { awakeMinutes, quietSpan } from "./policy.ts";

/** Any short text; the queries check whether it is an id of the user's. */
const isOpaqueId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 100;

const pinIds = z
  .array(z.custom<string>(isOpaqueId, PUBLISHING_TEXTS.idInvalid), PUBLISHING_TEXTS.nothingSelected)
  .min(1, PUBLISHING_TEXTS.nothingSelected)
  .max(BATCH_MAX, PUBLISHING_TEXTS.tooMany)
  .refine((ids) => new Set(ids).size === ids.length, PUBLISHING_TEXTS.duplicates);

const startTime = dateTime(PUBLISHING_TEXTS.startInvalid);

const slots = z
  .array(
    z.object({ post_id: z.custom<string>(isOpaqueId, PUBLISHING_TEXTS.idInvalid), due_at: startTime }),
    TEXTS.slotsInvalid,
  )
  .max(BATCH_MAX, PUBLISHING_TEXTS.tooMany);

const rule = z.enum(PACE_RULES, TEXTS.ruleInvalid);
const isDistinct = (rules: readonly PaceRule[]): boolean => new Set(rules).size === rules.length;

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.number(TEXTS.numberInvalid).int(TEXTS.numberInvalid).min(min, TEXTS.numberInvalid).max(max, TEXTS.numberInvalid);

const timeOfDay = z.string(TEXTS.timeInvalid).regex(/^([01]\d|2[0-3]):[0-5]\d$/, TEXTS.timeInvalid);

/** Also for stored numbers. */
export const paceNumbers = z
  .object({
    perDay: wholeNumber(NUMBER_RANGES.perDay),
    gapMinutes: wholeNumber(NUMBER_RANGES.gapMinutes),
    warmUpStart: wholeNumber(NUMBER_RANGES.warmUpStart),
    warmUpDays: wholeNumber(NUMBER_RANGES.warmUpDays),
    warmUpPins: wholeNumber(NUMBER_RANGES.warmUpPins),
    linkDays: wholeNumber(NUMBER_RANGES.linkDays),
    similarDays: wholeNumber(NUMBER_RANGES.similarDays),
    jitterMinutes: wholeNumber(NUMBER_RANGES.jitterMinutes),
    quietFrom: timeOfDay,
    quietTo: timeOfDay,
  })
  .refine(({ warmUpStart, perDay }) => warmUpStart <= perDay, { path: ["warmUpStart"], error: TEXTS.startTooHigh })
  // An invalid time has its own message.
  .refine((numbers) => !(awakeMinutes(quietSpan(numbers)) < AWAKE_MIN_MINUTES), {
    path: ["quietTo"],
    error: TEXTS.quietAllDay,
  }) satisfies z.ZodType<PaceNumbers>;

export const readPaceInput = z.object({ accountId: z.custom<string>(isOpaqueId, PUBLISHING_TEXTS.idInvalid) });
export type ReadPaceInput = z.output<typeof readPaceInput>;

export const savePaceInput = readPaceInput.extend({ numbers: paceNumbers });
export type SavePaceInput = z.output<typeof savePaceInput>;

/** Without `start`, the first pin goes out in a few minutes. `chosen`: times that the user set. */
export const proposePlanInput = z
  .object({
    post_ids: pinIds,
    start: startTime.nullish(),
    left_out: z.array(rule).refine(isDistinct, TEXTS.ruleTwice),
    chosen: slots,
  })
  .transform(({ post_ids, start, left_out, chosen }) => ({
    pinIds: post_ids,
    start: start ?? null,
    leftOut: left_out,
    chosen: new Map(chosen.map(({ post_id, due_at }) => [post_id, due_at])),
  }));
export type ProposePlanInput = z.output<typeof proposePlanInput>;

const override = z.object({
  rule,
  reason: z.string(TEXTS.reasonNeeded).trim().min(1, TEXTS.reasonNeeded).max(REASON_MAX, TEXTS.reasonTooLong),
});

/** `planned_at`: from the proposal. */
export const applyPlanInput = z
  .object({
    planned_at: startTime,
    slots: slots.min(1, PUBLISHING_TEXTS.nothingSelected),
    left_out: z.array(override).refine((all) => isDistinct(all.map((one) => one.rule)), TEXTS.ruleTwice),
  })
  .transform(({ planned_at, slots: all, left_out }) => ({
    plannedAt: planned_at,
    slots: all.map(({ post_id, due_at }) => ({ id: post_id, dueAt: due_at })),
    leftOut: left_out,
  }));
export type ApplyPlanInput = z.output<typeof applyPlanInput>;

/** Times that drafts or scheduled pins would get. */
export const checkTimesInput = z
  .object({ slots: slots.min(1, PUBLISHING_TEXTS.nothingSelected) })
  .transform(({ slots: all }) => new Map(all.map(({ post_id, due_at }) => [post_id, due_at])));
export type CheckTimesInput = z.output<typeof checkTimesInput>;

export const planNotesInput = z.object({ pinId: z.custom<string>(isOpaqueId, PUBLISHING_TEXTS.idInvalid) });
export type PlanNotesInput = z.output<typeof planNotesInput>;

/** How far a rule moved a pin, in milliseconds. `other`: title of the pin that it stays away from. */
export interface MoveWire {
  rule: PaceRule;
  ms: number;
  limit: number;
  other: string | null;
}

export interface BreachWire {
  rule: PaceRule;
  limit: number;
  other: { title: string; at: string } | null;
}

export interface PlannedSlotWire {
  post_id: string;
  due_at: string;
  moves: MoveWire[];
  /** Of a time that the user chose. */
  breaches: BreachWire[];
}

export interface PlanWire {
  planned_at: string;
  time_zone: string;
  preset: PresetName | null;
  numbers: PaceNumbers;
  slots: PlannedSlotWire[];
  unplaced: { post_id: string; rule: PaceRule }[];
  /** When the account's connection ends, if pins are planned beyond it. */
  renewal_due: string | null;
}

/** A pin whose time breaks the pace of its account, with the account's numbers. */
export interface PaceWarningWire {
  post_id: string;
  numbers: PaceNumbers;
  breaches: BreachWire[];
}

export interface PacedPreviewWire extends PreviewWire {
  pace: PaceWarningWire[];
}

export interface PaceWire {
  account_id: string;
  username: string;
  time_zone: string;
  preset: PresetName | null;
  numbers: PaceNumbers;
}

/** A rule that the user left out of the plan of a pin. */
export interface PlanNoteWire {
  rule: PaceRule;
  reason: string;
}
