"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { IntervalStepper } from "#components/publishing/interval-stepper.tsx";
import { PlanNotes } from "#components/publishing/plan-notes.tsx";
import { startAt } from "#components/publishing/read-start.ts";
import { ScheduleTimeline } from "#components/publishing/schedule-timeline.tsx";
import { durationText, roundToMinute } from "#components/publishing/schedule-view.ts";
import { SlotList } from "#components/publishing/slot-list.tsx";
import { slotViews } from "#components/publishing/slot-notes.ts";
import { StartFields } from "#components/publishing/start-fields.tsx";
import { usePreview } from "#components/publishing/use-preview.ts";
import {
  type PlanFields,
  type PlanForm,
  type SchedulePlan,
  useSchedulePlan,
} from "#components/publishing/use-schedule-plan.ts";
import { Button } from "#components/ui/button.tsx";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { planSlots, spanMinutes } from "#lib/features/publishing/policy.ts";

export type { SchedulePlan };

type ScheduleBarProps = {
  /** The selected drafts in the order in which they go out. */
  posts: readonly PostWire[];
  accountId: string | null;
  isBusy: boolean;
  timeZone: string;
  fields: PlanFields;
  onClear: () => void;
  onSchedule: (plan: SchedulePlan) => void;
};

/** The plan's pins as they would go out, with what the server says of them. */
const usePlannedSlots = (posts: readonly PostWire[], { plan, now }: PlanForm) => {
  const ids = useMemo(() => posts.map(({ id }) => id), [posts]);
  const preview = usePreview(ids, plan, now);
  const first = plan?.start ?? roundToMinute(now);
  const due = plan ? planSlots(ids, first, plan.intervalMinutes).map(({ dueAt }) => dueAt) : [];
  return { preview, first, slots: slotViews(posts, due, preview.data) };
};

/**
 * The bar that shows with a selection (R-SCH-01 to R-SCH-05): how many, from when on, how far apart, how long in all,
 * every pin's time with what speaks against it, and go. Nothing that speaks against a pin holds it back.
 */
export function ScheduleBar({ posts, isBusy, timeZone, fields, onClear, onSchedule }: ScheduleBarProps) {
  const count = posts.length;
  const id = useId();
  const timeRef = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const form = useSchedulePlan(fields, timeZone);
  const { now, minutes, intervalProblem, plan } = form;
  const { preview, first, slots } = usePlannedSlots(posts, form);
  const go = () => {
    const fresh = form.readPlan();
    if (fresh) onSchedule(fresh);
  };
  const takeStart = (start: Date) => {
    // The button goes with what it was about: the focus goes on to the time that it chose.
    flushSync(() => form.setChoice(startAt(start, timeZone)));
    timeRef.current?.focus();
  };
  const showNotes = () => {
    flushSync(() => setOpen(true));
    const list = document.getElementById(`${id}-slots`);
    list?.querySelector(".slot:has(.slot-notes)")?.scrollIntoView({ block: "nearest" });
    list?.focus({ preventScroll: true });
  };
  return (
    <section className="schedule-bar" aria-label="Schedule the selected pins" tabIndex={-1}>
      <div className="whitespace-nowrap">
        <span className="schedule-count num" aria-live="polite">
          {count} selected
        </span>
        <button type="button" className="schedule-clear" onClick={onClear}>
          Clear
        </button>
      </div>
      <IntervalStepper
        text={form.text}
        minutes={minutes}
        problemId={intervalProblem && `${id}-interval`}
        onText={form.setText}
      />
      {plan ? (
        <ScheduleTimeline count={count} intervalMinutes={plan.intervalMinutes} now={first} timeZone={timeZone} />
      ) : (
        <div className="schedule-line" />
      )}
      <div className="schedule-go">
        <p className="schedule-duration num">
          Total duration
          <b>{intervalProblem ? "–" : durationText(spanMinutes(count, minutes))}</b>
        </p>
        <Button variant="band" isBusy={isBusy} disabled={!plan} onClick={go}>
          Schedule {count} {count === 1 ? "pin" : "pins"}
        </Button>
      </div>
      {intervalProblem && (
        <p id={`${id}-interval`} role="alert" className="schedule-problem">
          {intervalProblem}
        </p>
      )}
      <div className="schedule-plan">
        <StartFields
          choice={form.choice}
          read={form.start}
          now={now}
          timeZone={timeZone}
          timeRef={timeRef}
          onChange={form.setChoice}
        />
        <button
          type="button"
          className="schedule-more"
          aria-expanded={isOpen}
          aria-controls={`${id}-slots`}
          onClick={() => setOpen(!isOpen)}
        >
          Times
          <ChevronDown aria-hidden="true" size={16} />
        </button>
        <PlanNotes
          slots={slots}
          preview={preview}
          now={now}
          timeZone={timeZone}
          onShow={showNotes}
          onTake={takeStart}
        />
      </div>
      {isOpen && <SlotList id={`${id}-slots`} slots={slots} isAtOnce={!plan?.start} now={now} timeZone={timeZone} />}
    </section>
  );
}
