"use client";

import { useState } from "react";
import { useNow } from "#components/shared/use-now.ts";
import { actionValue } from "#lib/client/api.ts";
import { pause } from "#lib/client/pause.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { previewScheduleAction } from "#lib/features/planning/actions.ts";
import type { PacedPreviewWire } from "#lib/features/planning/schema.ts";
import { INTERVAL_DEFAULT_MINUTES, TEXTS } from "#lib/features/publishing/constants.ts";
import { isInterval } from "#lib/features/publishing/policy.ts";
import { readStart, START_NOW, type StartChoice, type StartRead, startAt } from "./read-start.ts";

/** Debounces preview requests. */
const PAUSE_MS = 400;

/** A plan's preview; `data` is null until it has loaded. */
export interface Preview {
  data: PacedPreviewWire | null;
  /** Why there is no preview. The plan can still be scheduled. */
  problem: string | null;
}

/** A plan that starts now is previewed again after this time. */
const FRESH_MS = 5 * MINUTE_MS;

/** The part of a previous preview that holds for other times, shown until the next one has loaded. */
const withoutTimes = (preview: PacedPreviewWire): PacedPreviewWire => ({
  ...preview,
  pace: [],
  free_start: null,
  slots: preview.slots.map((slot) => ({ ...slot, clash: null })),
});

/** Loads the preview of a plan after each change; null loads nothing. */
export const usePreview = (pinIds: readonly string[], plan: SchedulePlan | null, now: Date): Preview => {
  const body = plan && {
    post_ids: [...pinIds],
    interval_minutes: plan.intervalMinutes,
    start: plan.start?.toISOString() ?? null,
  };
  const period = plan?.start ? 0 : Math.floor(now.getTime() / FRESH_MS);
  const { data, error } = useApiQuery(
    body && ["schedule-preview", period, body],
    async (signal) => {
      await pause(PAUSE_MS, signal);
      return body && !signal.aborted ? actionValue(previewScheduleAction(body)) : null;
    },
    { placeholderData: (last) => last && withoutTimes(last) },
  );
  return { data, problem: error instanceof Error ? error.message : null };
};

/** When pins go out: the first at `start` (null: now), each further one an interval later. */
export interface SchedulePlan {
  intervalMinutes: number;
  start: Date | null;
}

type PaceMode = "fixed" | "safe";

/** The bar's fields, kept by the screen because the bar unmounts with the selection. */
export interface PlanFields {
  text: string;
  setText: (text: string) => void;
  chosen: StartChoice;
  setChoice: (choice: StartChoice) => void;
  /** `safe`: times by the account's pace instead of the interval. */
  pace: PaceMode;
  setPace: (pace: PaceMode) => void;
  /** Resets to sixty minutes and now, after scheduling. */
  reset: () => void;
}

export const usePlanFields = (): PlanFields => {
  const [text, setText] = useState(String(INTERVAL_DEFAULT_MINUTES));
  const [chosen, setChoice] = useState(START_NOW);
  const [pace, setPace] = useState<PaceMode>("fixed");
  return {
    text,
    setText,
    chosen,
    setChoice,
    pace,
    setPace,
    reset: () => {
      setText(String(INTERVAL_DEFAULT_MINUTES));
      setChoice(START_NOW);
    },
  };
};

/** The bar's fields and what they mean. */
export interface PlanForm {
  now: Date;
  text: string;
  setText: (text: string) => void;
  /** The interval; NaN when the field holds no number. */
  minutes: number;
  intervalProblem: string | null;
  choice: StartChoice;
  setChoice: (choice: StartChoice) => void;
  start: StartRead;
  /** The plan; null while a field is invalid. */
  plan: SchedulePlan | null;
  /** The plan as of now: its start may have passed since the last minute. */
  readPlan: () => SchedulePlan | null;
}

/** Reads the fields of the schedule bar: sixty minutes and now by default. */
export const useSchedulePlan = (fields: PlanFields, timeZone: string): PlanForm => {
  const { now, setNow } = useNow();
  const { text, setText, chosen, setChoice } = fields;
  // The time zone may become known late: an exact time stays and is shown in the new zone.
  const choice = chosen.exact ? startAt(chosen.exact, timeZone) : chosen;
  const minutes = text.trim() === "" ? Number.NaN : Number(text);
  const intervalProblem = isInterval(minutes) ? null : TEXTS.intervalInvalid;
  const start = readStart(choice, timeZone, now);
  const toPlan = (read: StartRead) =>
    intervalProblem === null && read.problem === null ? { intervalMinutes: minutes, start: read.start } : null;
  const readPlan = () => {
    const present = new Date();
    setNow(present);
    return toPlan(readStart(choice, timeZone, present));
  };
  return { now, text, setText, minutes, intervalProblem, choice, setChoice, start, plan: toPlan(start), readPlan };
};
