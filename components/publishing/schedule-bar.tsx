"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type RefObject, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Thread } from "#components/shared/thread.tsx";
import { Button } from "#components/ui/button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import type { PostWire } from "#lib/features/pins/schema.ts";
import {
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
} from "#lib/features/publishing/constants.ts";
import { planSlots, spanMinutes } from "#lib/features/publishing/policy.ts";
import { AT_ONCE, nextHour, offsetText, type StartChoice, type StartRead, startAt, startDays } from "./read-start.ts";
import { SlotList } from "./slot-list.tsx";
import {
  durationText,
  noteCounts,
  roundToMinute,
  type SlotView,
  slotTime,
  slotViews,
  timelineOf,
} from "./slot-notes.ts";
import {
  type PlanFields,
  type PlanForm,
  type Preview,
  type SchedulePlan,
  usePreview,
  useSchedulePlan,
} from "./use-schedule-plan.ts";

type StartFieldsProps = {
  choice: StartChoice;
  read: StartRead;
  now: Date;
  timeZone: string;
  /** The time of day: what gets the focus where a start was chosen for the user. */
  timeRef: RefObject<HTMLInputElement | null>;
  onChange: (choice: StartChoice) => void;
};

/** When the first pin goes out: at once, or by calendar and clock of the named time zone. */
function StartFields({ choice, read, now, timeZone, timeRef, onChange }: StartFieldsProps) {
  const id = useId();
  const noteId = read.problem || read.note ? `${id}-note` : undefined;
  const isLater = choice.kind === "later";
  const described = [`${id}-zone`, noteId].filter(Boolean).join(" ");
  const field = {
    "aria-describedby": described,
    "aria-invalid": read.problem !== null,
    className: "schedule-field num",
  };
  return (
    <div className="schedule-start">
      <Segment
        label="First pin"
        isLabelHidden
        options={[
          { value: "once", label: "At once" },
          { value: "later", label: "Later" },
        ]}
        value={choice.kind}
        onChange={(kind) => onChange(kind === "once" ? AT_ONCE : nextHour(now, timeZone))}
      />
      {isLater && (
        <div className="schedule-when">
          <input
            {...field}
            {...startDays(now, timeZone)}
            type="date"
            aria-label="Start date"
            value={choice.date}
            onChange={({ target }) => onChange({ ...choice, date: target.value, exact: null })}
          />
          <input
            {...field}
            ref={timeRef}
            type="time"
            aria-label="Start time"
            value={choice.time}
            onChange={({ target }) => onChange({ ...choice, time: target.value, exact: null })}
          />
          <span id={`${id}-zone`} className="schedule-zone">
            <span className="sr-only">Time zone: </span>
            {timeZone} <span className="num">({offsetText(read.start ?? now, timeZone)})</span>
          </span>
        </div>
      )}
      {isLater && noteId && (
        <p id={noteId} role="alert" className={read.problem ? "schedule-problem" : "schedule-note"}>
          {read.problem ?? read.note}
        </p>
      )}
    </div>
  );
}

const STEP_MINUTES = 15;

const bounded = (minutes: number): number =>
  Math.min(INTERVAL_MAX_MINUTES, Math.max(INTERVAL_MIN_MINUTES, Math.round(minutes)));

const stepped = (minutes: number, direction: 1 | -1): number => {
  if (!Number.isFinite(minutes)) return INTERVAL_DEFAULT_MINUTES;
  if (direction < 0 && minutes <= STEP_MINUTES) return bounded(minutes - 1);
  if (direction > 0 && minutes < STEP_MINUTES) return bounded(minutes + 1);
  return bounded(minutes + direction * STEP_MINUTES);
};

type IntervalStepperProps = {
  /** What stands in the field, whatever that is. */
  text: string;
  minutes: number;
  /** Id of the sentence that says what is wrong; null when nothing is. */
  problemId: string | null;
  onText: (text: string) => void;
};

/** How far apart pins go out, in minutes (R-SCH-02, R-SCH-05): typed, or in steps of a quarter of an hour. */
function IntervalStepper({ text, minutes, problemId, onText }: IntervalStepperProps) {
  return (
    <div className="schedule-interval">
      <label htmlFor="interval" className="schedule-words">
        every
      </label>
      <span className="stepper num">
        <button type="button" aria-label="Shorter interval" onClick={() => onText(String(stepped(minutes, -1)))}>
          <Minus aria-hidden="true" size={14} />
        </button>
        <input
          id="interval"
          type="number"
          inputMode="numeric"
          min={INTERVAL_MIN_MINUTES}
          max={INTERVAL_MAX_MINUTES}
          step={1}
          value={text}
          aria-label="Interval in minutes"
          aria-invalid={problemId !== null}
          aria-describedby={problemId ?? undefined}
          onChange={(event) => onText(event.target.value)}
        />
        <button type="button" aria-label="Longer interval" onClick={() => onText(String(stepped(minutes, 1)))}>
          <Plus aria-hidden="true" size={14} />
        </button>
      </span>
      <span className="schedule-words">minutes</span>
    </div>
  );
}

type PlanNotesProps = {
  slots: readonly SlotView[];
  preview: Preview;
  now: Date;
  timeZone: string;
  /** Shows the pins and what speaks against each. */
  onShow: () => void;
  /** Takes the later start from which nothing is too close. */
  onTake: (start: Date) => void;
};

/** What speaks against a plan, in a line, and a start that is free of it one press away. It holds nothing back. */
function PlanNotes({ slots, preview, now, timeZone, onShow, onTake }: PlanNotesProps) {
  const notes = noteCounts(slots);
  const free = preview.data?.free_start ? new Date(preview.data.free_start) : null;
  return (
    <div className="schedule-notes num">
      <p role="status">
        {(notes.length > 0 || preview.problem) && <TriangleAlert aria-hidden="true" size={15} />}
        {notes.length > 0 ? (
          <button type="button" className="schedule-why" onClick={onShow}>
            {notes.join(" · ")}
          </button>
        ) : (
          preview.problem
        )}
      </p>
      {free && (
        <button type="button" className="schedule-take" onClick={() => onTake(free)}>
          Start {slotTime(free, now, timeZone)} instead
        </button>
      )}
    </div>
  );
}

type ScheduleTimelineProps = { count: number; intervalMinutes: number; now: Date; timeZone: string };

const WIDTH = 400;
const EDGE = 0.09;

const placeOf = (share: number): number => EDGE + share * (1 - 2 * EDGE);

/** The thread of the schedule bar: when the first and the last pin would go out, and two between them; days above hours. */
function ScheduleTimeline({ count, intervalMinutes, now, timeZone }: ScheduleTimelineProps) {
  const tacks = timelineOf(count, roundToMinute(now), intervalMinutes);
  const span = (count - 1) * intervalMinutes;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "numeric",
    ...(span >= 1_440 ? { month: "short", day: "numeric" } : { minute: "2-digit" }),
  });
  return (
    <div className="schedule-line num" aria-hidden="true">
      <Thread
        points={tacks.map(({ share }) => ({ x: placeOf(share) * WIDTH, y: 10 }))}
        width={WIDTH}
        height={52}
        isStretched
        hasShadow={false}
      />
      {tacks.map(({ share, at }) => (
        <span key={share} className="schedule-tack" style={{ left: `${placeOf(share) * 100}%` }}>
          {format.format(at).replace(", ", "\n")}
        </span>
      ))}
    </div>
  );
}

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
