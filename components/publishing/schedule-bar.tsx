"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Thread } from "#components/shared/thread.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { planSlots, spanMinutes } from "#lib/features/publishing/policy.ts";
import { startAt } from "./read-start.ts";
import { IntervalStepper, StartFields } from "./schedule-fields.tsx";
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
    <div
      className={cn(
        "num relative h-13 min-w-0 max-2xl:hidden",
        "[&_.thread]:inset-0 [&_.thread]:h-full [&_.thread_path]:stroke-(--green-400)",
      )}
      aria-hidden="true"
    >
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

/** How many pins are selected, and the way out of it. */
function Selected({ count, onClear }: { count: number; onClear: () => void }) {
  return (
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
  );
}

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
        "grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-y-3 gap-x-6.5 py-3.5",
        "pr-3.5",
        "pl-5.5 rounded-[16px] bg-band text-band-ink shadow-bar text-sm/[1.3] focus:outline-none",
        "max-2xl:grid-cols-[auto_1fr_auto]",
        "max-lg:grid-cols-[minmax(0,1fr)_auto] max-lg:gap-y-3.5 max-lg:gap-x-5 max-lg:p-4",
        "max-md:gap-y-2.5 max-md:gap-x-3 max-md:py-3 max-md:px-3.5 [&_:focus-visible]:outline-band-2",
      )}
      aria-label="Schedule the selected pins"
      tabIndex={-1}
    >
      <Selected count={count} onClear={onClear} />
      <IntervalStepper
        text={form.text}
        minutes={minutes}
        problemId={intervalProblem && `${id}-interval`}
        onText={form.setText}
      />
      {plan ? (
        <ScheduleTimeline count={count} intervalMinutes={plan.intervalMinutes} now={first} timeZone={timeZone} />
      ) : (
        <div className="relative h-13 min-w-0 max-2xl:hidden" />
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
        <p id={`${id}-interval`} role="alert" className="col-span-full text-(--brick-300)">
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
