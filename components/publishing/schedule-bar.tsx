"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { PlanSummary } from "#components/planning/plan-summary.tsx";
import { RuleOverrides } from "#components/planning/rule-overrides.tsx";
import { type LeftOut, type SafePlan, useSafePlan } from "#components/planning/use-safe-plan.ts";
import { Thread } from "#components/shared/thread.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Segment } from "#components/ui/segment.tsx";
import { MINUTE_MS } from "#lib/core/time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { PlanWire } from "#lib/features/planning/schema.ts";
import { planSlots, spanMinutes } from "#lib/features/publishing/policy.ts";
import { PlanWarnings } from "./plan-warnings.tsx";
import { startAt } from "./read-start.ts";
import { IntervalStepper, StartFields } from "./schedule-fields.tsx";
import { SlotList } from "./slot-list.tsx";
import { durationText, planViews, roundToMinute, type SlotView, slotViews, timelineOf } from "./slot-notes.ts";
import { SlotTime } from "./slot-time.tsx";
import { type PlanFields, type PlanForm, type SchedulePlan, usePreview, useSchedulePlan } from "./use-schedule-plan.ts";

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
  isBusy: boolean;
  timeZone: string;
  fields: PlanFields;
  /** More to choose before scheduling, beside the start. */
  children?: ReactNode;
  onClear: () => void;
  onSchedule: (plan: SchedulePlan) => void;
  /** @returns whether the plan was applied */
  onApply: (plan: PlanWire, leftOut: readonly LeftOut[]) => Promise<boolean>;
};

const usePlannedSlots = (ids: readonly string[], pins: readonly PinWire[], { plan, now }: PlanForm, isOn: boolean) => {
  const preview = usePreview(ids, isOn ? plan : null, now);
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

type FixedIntervalProps = { count: number; form: PlanForm; first: Date; timeZone: string; id: string };

function FixedInterval({ count, form, first, timeZone, id }: FixedIntervalProps) {
  const { plan, intervalProblem } = form;
  return (
    <>
      <IntervalStepper
        text={form.text}
        minutes={form.minutes}
        problemId={intervalProblem && `${id}-interval`}
        onText={form.setText}
      />
      {plan ? (
        <ScheduleTimeline count={count} intervalMinutes={plan.intervalMinutes} now={first} timeZone={timeZone} />
      ) : (
        <div className="relative h-13 min-w-0 max-2xl:hidden" />
      )}
    </>
  );
}

const intervalText = (count: number, minutes: number, problem: string | null): string =>
  problem ? "–" : durationText(spanMinutes(count, minutes));

type PlannedTimeProps = { slot: SlotView; plan: SafePlan; now: Date; timeZone: string };

function PlannedTime({ slot: { pin, dueAt }, plan, now, timeZone }: PlannedTimeProps) {
  return (
    <SlotTime
      title={pin.title}
      dueAt={dueAt}
      isChosen={plan.chosen.has(pin.id)}
      now={now}
      timeZone={timeZone}
      onChoose={(at) => plan.choose(pin.id, at)}
    />
  );
}

const PACES = [
  { value: "fixed", label: "Fixed interval" },
  { value: "safe", label: "Safe pace" },
] as const;

type TotalProps = { duration: string; isBusy: boolean; count: number; isDisabled: boolean; onGo: () => void };

/** How long it takes, and the button that schedules. */
function Total({ duration, isBusy, count, isDisabled, onGo }: TotalProps) {
  return (
    <div className="flex items-center gap-4 max-lg:col-span-full max-lg:justify-between">
      <p
        className={cn(
          "text-right text-band-2 whitespace-nowrap max-lg:text-left",
          "[&_b]:block [&_b]:font-semibold [&_b]:text-band-ink num",
        )}
      >
        Total duration
        <b>{duration}</b>
      </p>
      <Button variant="band" isBusy={isBusy} disabled={isDisabled} onClick={onGo}>
        Schedule {count} {count === 1 ? "pin" : "pins"}
      </Button>
    </div>
  );
}

type TimesButtonProps = { isOpen: boolean; controls: string; onToggle: () => void };

function TimesButton({ isOpen, controls, onToggle }: TimesButtonProps) {
  return (
    <button
      type="button"
      className={cn(
        "inline-flex items-center gap-1.5 min-h-10 py-0 px-2.5 rounded-[9px] bg-transparent text-band-ink",
        "font-[550] my-0 -mr-2.5 ml-auto hover:bg-band-raised max-md:min-h-11",
        "[&_svg]:transition-[transform] [&_svg]:duration-(--dur-hover) [&_svg]:ease-out",
        "aria-expanded:[&_svg]:transform-[rotate(180deg)]",
      )}
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
    >
      Show all times
      <ChevronDown aria-hidden="true" size={16} />
    </button>
  );
}

const BAR = cn(
  "grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-y-3 gap-x-6.5 py-3.5",
  "pr-3.5",
  "pl-5.5 rounded-[16px] bg-band text-band-ink shadow-bar text-sm/[1.3] focus:outline-none",
  "max-2xl:grid-cols-[auto_1fr_auto]",
  "max-lg:grid-cols-[minmax(0,1fr)_auto] max-lg:gap-y-3.5 max-lg:gap-x-5 max-lg:p-4",
  "max-md:gap-y-2.5 max-md:gap-x-3 max-md:py-3 max-md:px-3.5 [&_:focus-visible]:outline-band-2",
);

const minutesOf = (slots: readonly SlotView[]): number => {
  const [first, last] = [slots[0], slots.at(-1)];
  return first && last ? Math.round((last.dueAt.getTime() - first.dueAt.getTime()) / MINUTE_MS) : 0;
};

/**
 * The bar that appears with a selection: count, start, interval or safe pace, total duration, each pin's time with its
 * warnings, and the button.
 */
export function ScheduleBar(props: ScheduleBarProps) {
  const { pins, isBusy, timeZone, fields, children, onClear, onSchedule, onApply } = props;
  const id = useId();
  const timeRef = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const isSafe = fields.pace === "safe";
  const ids = useMemo(() => pins.map((pin) => pin.id), [pins]);
  const form = useSchedulePlan(fields, timeZone);
  const { now, minutes, intervalProblem, plan, start } = form;
  const fixed = usePlannedSlots(ids, pins, form, !isSafe);
  const safe = useSafePlan({ pinIds: ids, start: start.start, now, isOn: isSafe && start.problem === null });
  const safeSlots = planViews(pins, safe.data);
  const slots = isSafe ? safeSlots : fixed.slots;
  const preview = isSafe ? { data: null, problem: null } : fixed.preview;
  const ready = safe.data && !safe.isOutdated && start.problem === null && safe.problem === null ? safe.data : null;
  const go = () => {
    const fresh = form.readPlan();
    if (fresh) onSchedule(fresh);
  };
  const apply = async (data: PlanWire) => {
    if (!(await onApply(data, safe.leftOut))) safe.renew();
  };
  const takeStart = (at: Date) => {
    // The button disappears with its warning, so the focus moves to the time it chose.
    flushSync(() => form.setChoice(startAt(at, timeZone)));
    timeRef.current?.focus();
  };
  const showWarnings = () => {
    flushSync(() => setOpen(true));
    const list = document.getElementById(`${id}-slots`);
    list?.querySelector("[data-slot=slot]:has(ul)")?.scrollIntoView({ block: "nearest" });
    list?.focus({ preventScroll: true });
  };
  return (
    <section data-slot="schedule-bar" className={BAR} aria-label="Schedule the selected pins" tabIndex={-1}>
      <Selected count={pins.length} onClear={onClear} />
      {isSafe ? (
        <div className="col-span-2 max-2xl:col-span-1 max-lg:order-1 max-lg:col-span-full">
          <PlanSummary plan={safe.data} problem={safe.problem} />
        </div>
      ) : (
        <FixedInterval count={pins.length} form={form} first={fixed.first} timeZone={timeZone} id={id} />
      )}
      <Total
        duration={isSafe ? durationText(minutesOf(safeSlots)) : intervalText(pins.length, minutes, intervalProblem)}
        isBusy={isBusy}
        count={isSafe && ready ? ready.slots.length : pins.length}
        isDisabled={isSafe ? !ready || ready.slots.length === 0 : !plan}
        onGo={() => (isSafe && ready ? void apply(ready) : go())}
      />
      {!isSafe && intervalProblem && (
        <p id={`${id}-interval`} role="alert" className="col-span-full text-(--brick-300)">
          {intervalProblem}
        </p>
      )}
      <div
        className={cn(
          "col-span-full flex flex-wrap items-center gap-y-2.5 gap-x-4.5 pt-3 border-t border-band-line",
          "max-lg:gap-2 max-lg:order-2",
        )}
      >
        <Segment
          tone="band"
          label="Pace"
          isLabelHidden
          options={PACES}
          value={fields.pace}
          onChange={fields.setPace}
          className="max-md:flex-auto"
        />
        <StartFields
          choice={form.choice}
          read={start}
          now={now}
          timeZone={timeZone}
          timeRef={timeRef}
          onChange={form.setChoice}
        />
        {children}
        <TimesButton isOpen={isOpen} controls={`${id}-slots`} onToggle={() => setOpen(!isOpen)} />
        <PlanWarnings
          slots={slots}
          preview={preview}
          renewalDue={(isSafe ? safe : preview).data?.renewal_due ?? null}
          now={now}
          timeZone={timeZone}
          onShow={showWarnings}
          onTake={takeStart}
        />
        {isSafe && <RuleOverrides plan={safe} />}
      </div>
      {isOpen && (
        <SlotList
          id={`${id}-slots`}
          slots={slots}
          startsNow={!isSafe && !plan?.start}
          now={now}
          timeZone={timeZone}
          controlOf={(slot) => isSafe && <PlannedTime slot={slot} plan={safe} now={now} timeZone={timeZone} />}
        />
      )}
    </section>
  );
}
