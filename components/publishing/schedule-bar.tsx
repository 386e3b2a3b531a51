"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type RefObject, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Thread } from "#components/shared/thread.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
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
    className:
      "h-10 py-0 px-2.5 rounded-[9px] bg-band-raised text-band-ink scheme-dark font-semibold border border-band-2 aria-[invalid=true]:outline-2 aria-[invalid=true]:outline-solid aria-[invalid=true]:outline-(--brick-300) max-md:flex-[1_1_40%] max-md:min-w-0 max-md:h-11 num",
  };
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-2 min-w-0 max-lg:contents [&>p]:basis-full max-lg:[&>p]:order-1",
        "max-md:[&>fieldset]:flex-1 max-md:has-[.schedule-when]:[&>fieldset]:basis-full",
      )}
    >
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
        <div className="flex flex-wrap items-center gap-2 min-w-0 max-lg:contents">
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
          <span
            id={`${id}-zone`}
            data-slot="schedule-zone"
            className="text-band-2 max-md:flex-[1_1_50%] max-md:min-w-0 max-md:wrap-anywhere"
          >
            <span className="sr-only">Time zone: </span>
            {timeZone} <span className="num">({offsetText(read.start ?? now, timeZone)})</span>
          </span>
        </div>
      )}
      {isLater && noteId && (
        <p id={noteId} role="alert" className={read.problem ? "schedule-problem" : "text-band-2"}>
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
    <div
      className={cn(
        "flex items-center gap-[9px] text-band-2 whitespace-nowrap max-lg:justify-self-end",
        'max-md:after:content-["min"]',
      )}
    >
      <label htmlFor="interval" className="max-md:sr-only">
        every
      </label>
      <span
        className={cn(
          "flex items-center rounded-[9px] bg-band-raised text-band-ink border border-band-2",
          "has-[input:invalid]:outline-2 has-[input:invalid]:outline-solid",
          "has-[input:invalid]:outline-(--brick-300)",
          "has-[[aria-invalid='true']]:outline-2 has-[[aria-invalid='true']]:outline-solid",
          "has-[[aria-invalid='true']]:outline-(--brick-300)",
          "[&_button]:grid [&_button]:place-items-center [&_button]:w-8.5 [&_button]:h-9.5",
          "[&_button]:bg-transparent [&_button]:border-0",
          "[&_input]:w-14 [&_input]:h-9.5 [&_input]:bg-transparent [&_input]:text-center",
          "[&_input]:font-semibold [&_input]:[appearance:textfield] [&_input]:border-0",
          "[&_input]:[&::-webkit-inner-spin-button]:hidden max-md:[&_button]:relative",
          "max-md:[&_button]:h-11",
          "max-md:[&_button]:after:absolute max-md:[&_button]:after:inset-y-0",
          "max-md:[&_button]:after:-right-2.5 max-md:[&_button]:after:left-0",
          "max-md:[&_button:first-of-type]:after:inset-y-0 max-md:[&_button:first-of-type]:after:right-0",
          "max-md:[&_button:first-of-type]:after:-left-2.5 max-md:[&_input]:size-11 num",
        )}
      >
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
      <span className="max-md:sr-only">minutes</span>
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
    <div
      className={cn(
        "flex flex-wrap items-center gap-y-1 gap-x-4 text-(--straw-300) has-[svg,button]:basis-full",
        "[&:not(:has(svg,button))]:absolute max-lg:order-1 [&>p]:flex [&>p]:items-center [&>p]:gap-2",
        "[&_svg]:flex-none num",
      )}
    >
      <p role="status">
        {(notes.length > 0 || preview.problem) && <TriangleAlert aria-hidden="true" size={15} />}
        {notes.length > 0 ? (
          <button
            type="button"
            className={cn(
              "min-h-[max(32px,var(--target-min))] bg-transparent text-inherit text-left underline",
              "decoration-dotted underline-offset-3",
            )}
            onClick={onShow}
          >
            {notes.join(" · ")}
          </button>
        ) : (
          preview.problem
        )}
      </p>
      {free && (
        <button
          type="button"
          className={cn(
            "min-h-[max(32px,var(--target-min))] bg-transparent text-band-ink font-[550] text-left underline",
            "underline-offset-3 max-md:min-h-11",
          )}
          onClick={() => onTake(free)}
        >
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
    <div className="schedule-line relative h-13 min-w-0 max-2xl:hidden num" aria-hidden="true">
      <Thread
        points={tacks.map(({ share }) => ({ x: placeOf(share) * WIDTH, y: 10 }))}
        width={WIDTH}
        height={52}
        isStretched
        hasShadow={false}
      />
      {tacks.map(({ share, at }) => (
        <span
          key={share}
          className={cn(
            "absolute top-1 -translate-x-1/2 text-center text-micro/[1.15] text-band-2 whitespace-pre",
            "before:size-[13px] before:block before:mt-0 before:mb-[9px] before:mx-auto before:rounded-full",
            "before:bg-[radial-gradient(circle_at_36%_30%,#fff_0_8%,var(--sky-300)_34%_78%,var(--sky-600))]",
            "before:shadow-[1px_2px_3px_rgb(0_0_0_/_0.5)]",
          )}
          style={{ left: `${placeOf(share) * 100}%` }}
        >
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
    list?.querySelector("[data-slot=slot]:has(ul)")?.scrollIntoView({ block: "nearest" });
    list?.focus({ preventScroll: true });
  };
  return (
    <section
      data-slot="schedule-bar"
      className={cn(
        "schedule-bar grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-y-3 gap-x-6.5 py-3.5",
        "pr-3.5",
        "pl-5.5 rounded-[16px] bg-band text-band-ink shadow-bar text-sm/[1.3] focus:outline-none",
        "max-2xl:grid-cols-[auto_1fr_auto]",
        "max-lg:grid-cols-[minmax(0,1fr)_auto] max-lg:gap-y-3.5 max-lg:gap-x-5 max-lg:p-4",
        "max-md:gap-y-2.5 max-md:gap-x-3 max-md:py-3 max-md:px-3.5 [&_:focus-visible]:outline-band-2",
      )}
      aria-label="Schedule the selected pins"
      tabIndex={-1}
    >
      <div className="whitespace-nowrap">
        <span
          className={cn(
            "font-display text-[1.5rem]/none font-[380] tracking-[-0.02em] whitespace-nowrap",
            "max-md:text-[1.3125rem] num",
          )}
          aria-live="polite"
        >
          {count} selected
        </span>
        <button
          type="button"
          className={cn(
            "min-h-7 ml-2.5 py-0 px-1.5 bg-transparent text-band-2 underline underline-offset-3",
            "max-md:min-h-11 max-md:ml-1",
          )}
          onClick={onClear}
        >
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
        <div className="schedule-line relative h-13 min-w-0 max-2xl:hidden" />
      )}
      <div className="flex items-center gap-4 max-lg:col-span-full max-lg:justify-between">
        <p
          className={cn(
            "text-right text-band-2 whitespace-nowrap max-lg:text-left",
            "[&_b]:block [&_b]:font-semibold [&_b]:text-band-ink num",
          )}
        >
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
      <div
        className={cn(
          "col-span-full flex flex-wrap items-center gap-y-2.5 gap-x-4.5 pt-3 border-t border-band-line",
          "max-lg:gap-2",
        )}
      >
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
          className={cn(
            "inline-flex items-center gap-1.5 min-h-10 py-0 px-2.5 rounded-[9px] bg-transparent text-band-ink",
            "font-[550] my-0 -mr-2.5 ml-auto hover:bg-band-raised max-md:min-h-11",
            "[&_svg]:transition-[transform] [&_svg]:duration-(--dur-hover) [&_svg]:ease-out",
            "aria-expanded:[&_svg]:transform-[rotate(180deg)]",
          )}
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
