"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Thread } from "#components/shared/thread.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatDate } from "#lib/core/time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { planSlots, spanMinutes } from "#lib/features/publishing/policy.ts";
import { startAt } from "./read-start.ts";
import { IntervalStepper, StartFields } from "./schedule-fields.tsx";
import { SlotList } from "./slot-list.tsx";
import {
  durationText,
  roundToMinute,
  type SlotView,
  slotTime,
  slotViews,
  timelineOf,
  warningCounts,
} from "./slot-notes.ts";
import {
  type PlanFields,
  type PlanForm,
  type Preview,
  type SchedulePlan,
  usePreview,
  useSchedulePlan,
} from "./use-schedule-plan.ts";

type PlanWarningsProps = {
  slots: readonly SlotView[];
  preview: Preview;
  now: Date;
  timeZone: string;
  /** Opens the list of pins with their notes. */
  onShow: () => void;
  /** Uses the later start without clashes. */
  onTake: (start: Date) => void;
};

function RenewalNote({ dueAt, timeZone }: { dueAt: string; timeZone: string }) {
  return (
    <p data-slot="renewal-note" className="basis-full text-band-2">
      Your Pinterest connection expires on {formatDate(dueAt, timeZone)}. We'll renew it before then and email you if
      that fails.
    </p>
  );
}

/** A line of warnings about a plan, and a button for a start without clashes. Warnings never prevent scheduling. */
function PlanWarnings({ slots, preview, now, timeZone, onShow, onTake }: PlanWarningsProps) {
  const warnings = warningCounts(slots);
  const free = preview.data?.free_start ? new Date(preview.data.free_start) : null;
  const renewal = preview.data?.renewal_due;
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-y-1 gap-x-4 text-(--straw-300) has-[svg,button,[data-slot=renewal-note]]:basis-full",
        "[&:not(:has(svg,button,[data-slot=renewal-note]))]:absolute max-lg:order-1 [&>p]:flex [&>p]:items-center [&>p]:gap-2",
        "[&_svg]:flex-none num",
      )}
    >
      <p role="status">
        {(warnings.length > 0 || preview.problem) && <TriangleAlert aria-hidden="true" size={15} />}
        {warnings.length > 0 ? (
          <button
            type="button"
            className={cn(
              "min-h-[max(32px,var(--target-min))] bg-transparent text-inherit text-left underline",
              "decoration-dotted underline-offset-3",
            )}
            onClick={onShow}
          >
            {warnings.join(" · ")}
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
      {renewal && <RenewalNote dueAt={renewal} timeZone={timeZone} />}
    </div>
  );
}

type ScheduleTimelineProps = { count: number; intervalMinutes: number; now: Date; timeZone: string };

const WIDTH = 400;
const EDGE = 0.09;

const positionOf = (share: number): number => EDGE + share * (1 - 2 * EDGE);

/** The thread of the schedule bar, with tacks at the times of the first and last pin and up to two between them. */
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
        points={tacks.map(({ share }) => ({ x: positionOf(share) * WIDTH, y: 10 }))}
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
          style={{ left: `${positionOf(share) * 100}%` }}
        >
          {format.format(at).replace(", ", "\n")}
        </span>
      ))}
    </div>
  );
}

export type { SchedulePlan };

type ScheduleBarProps = {
  /** The selected drafts in publishing order. */
  pins: readonly PinWire[];
  accountId: string | null;
  isBusy: boolean;
  timeZone: string;
  fields: PlanFields;
  onClear: () => void;
  onSchedule: (plan: SchedulePlan) => void;
};

const usePlannedSlots = (pins: readonly PinWire[], { plan, now }: PlanForm) => {
  const ids = useMemo(() => pins.map(({ id }) => id), [pins]);
  const preview = usePreview(ids, plan, now);
  const first = plan?.start ?? roundToMinute(now);
  const due = plan ? planSlots(ids, first, plan.intervalMinutes).map(({ dueAt }) => dueAt) : [];
  return { preview, first, slots: slotViews(pins, due, preview.data) };
};

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
 * The bar that appears with a selection: count, start, interval, total duration, each pin's time with its warnings, and
 * the button.
 */
export function ScheduleBar({ pins, isBusy, timeZone, fields, onClear, onSchedule }: ScheduleBarProps) {
  const count = pins.length;
  const id = useId();
  const timeRef = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const form = useSchedulePlan(fields, timeZone);
  const { now, minutes, intervalProblem, plan } = form;
  const { preview, first, slots } = usePlannedSlots(pins, form);
  const go = () => {
    const fresh = form.readPlan();
    if (fresh) onSchedule(fresh);
  };
  const takeStart = (start: Date) => {
    // The button disappears with its warning, so the focus moves to the time it chose.
    flushSync(() => form.setChoice(startAt(start, timeZone)));
    timeRef.current?.focus();
  };
  const showWarnings = () => {
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
          Show all times
          <ChevronDown aria-hidden="true" size={16} />
        </button>
        <PlanWarnings
          slots={slots}
          preview={preview}
          now={now}
          timeZone={timeZone}
          onShow={showWarnings}
          onTake={takeStart}
        />
      </div>
      {isOpen && <SlotList id={`${id}-slots`} slots={slots} startsNow={!plan?.start} now={now} timeZone={timeZone} />}
    </section>
  );
}
