"use client";

import { useEffect, useState } from "react";
import { actionValue } from "#lib/client/api.ts";
import { pause } from "#lib/client/pause.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { previewScheduleAction } from "#lib/features/publishing/actions.ts";
import { INTERVAL_DEFAULT_MINUTES, TEXTS } from "#lib/features/publishing/constants.ts";
import { isInterval } from "#lib/features/publishing/policy.ts";
import type { PreviewWire } from "#lib/features/publishing/schema.ts";
import { AT_ONCE, readStart, type StartChoice, type StartRead, startAt } from "./read-start.ts";

/** So long after the last change the server is asked. */
const PAUSE_MS = 400;

/** What the server says of a plan; null data while it has not answered yet. */
export interface Preview {
  data: PreviewWire | null;
  /** Why it says nothing. The plan can be scheduled all the same. */
  problem: string | null;
}

/** A plan that starts at once is another one after so long. */
const FRESH_MS = 5 * MINUTE_MS;

/** What of an earlier answer holds for other times as well, so that nothing jumps while the next one is on its way. */
const timeless = (preview: PreviewWire): PreviewWire => ({
  ...preview,
  free_start: null,
  slots: preview.slots.map((slot) => ({ ...slot, clash: null })),
});

/** Asks what speaks against a plan, a moment after each change of it; a plan of null asks nothing. */
export const usePreview = (pinIds: readonly string[], plan: SchedulePlan | null, now: Date): Preview => {
  const body = plan && {
    post_ids: [...pinIds],
    interval_minutes: plan.intervalMinutes,
    start: plan.start?.toISOString() ?? null,
  };
  const turn = plan?.start ? 0 : Math.floor(now.getTime() / FRESH_MS);
  const { data, error } = useApiQuery(
    body && ["schedule-preview", turn, body],
    async (signal) => {
      await pause(PAUSE_MS, signal);
      return body && !signal.aborted ? actionValue(previewScheduleAction(body)) : null;
    },
    { placeholderData: (last) => last && timeless(last) },
  );
  return { data, problem: error instanceof Error ? error.message : null };
};

/** When pins go out: the first at the start (null: at once), each further one an interval later. */
export interface SchedulePlan {
  intervalMinutes: number;
  start: Date | null;
}

/** The present time, moved on once a minute: the times on the bar stay true while it is open. */
const useMinute = () => {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return { now, setNow };
};

/** What stands in the bar's fields. Kept by the screen: the bar goes and comes with the selection. */
export interface PlanFields {
  text: string;
  setText: (text: string) => void;
  chosen: StartChoice;
  setChoice: (choice: StartChoice) => void;
  /** Back to sixty minutes and at once: what was planned is scheduled. */
  reset: () => void;
}

export const usePlanFields = (): PlanFields => {
  const [text, setText] = useState(String(INTERVAL_DEFAULT_MINUTES));
  const [chosen, setChoice] = useState(AT_ONCE);
  return {
    text,
    setText,
    chosen,
    setChoice,
    reset: () => {
      setText(String(INTERVAL_DEFAULT_MINUTES));
      setChoice(AT_ONCE);
    },
  };
};

/** What the bar's fields say, and what it means. */
export interface PlanForm {
  now: Date;
  text: string;
  setText: (text: string) => void;
  /** The interval; not a number where the field holds none. */
  minutes: number;
  intervalProblem: string | null;
  choice: StartChoice;
  setChoice: (choice: StartChoice) => void;
  start: StartRead;
  /** The plan; null while something in it is wrong. */
  plan: SchedulePlan | null;
  /** The same as it is at this very moment: its start may have passed since the minute began. */
  readPlan: () => SchedulePlan | null;
}

/** Reads the fields of the schedule bar (R-SCH-02, R-SCH-05, A-34): sixty minutes and at once, until told otherwise. */
export const useSchedulePlan = (fields: PlanFields, timeZone: string): PlanForm => {
  const { now, setNow } = useMinute();
  const { text, setText, chosen, setChoice } = fields;
  // The zone may become known only now: a moment that was named stays, and shows as its clocks have it.
  const choice = chosen.exact ? startAt(chosen.exact, timeZone) : chosen;
  const minutes = text.trim() === "" ? Number.NaN : Number(text);
  const intervalProblem = isInterval(minutes) ? null : TEXTS.intervalInvalid;
  const start = readStart(choice, timeZone, now);
  const planOf = (read: StartRead) =>
    intervalProblem === null && read.problem === null ? { intervalMinutes: minutes, start: read.start } : null;
  const readPlan = () => {
    const present = new Date();
    setNow(present);
    return planOf(readStart(choice, timeZone, present));
  };
  return { now, text, setText, minutes, intervalProblem, choice, setChoice, start, plan: planOf(start), readPlan };
};
