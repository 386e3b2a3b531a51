"use client";

import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import { type RefObject, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { Segment } from "#components/ui/segment.tsx";
import {
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
} from "#lib/features/publishing/constants.ts";
import { nextHour, offsetText, START_NOW, type StartChoice, type StartRead, startDays } from "./read-start.ts";

type StartFieldsProps = {
  choice: StartChoice;
  read: StartRead;
  now: Date;
  timeZone: string;
  /** The time input, which gets the focus when a start was chosen by a button. */
  timeRef: RefObject<HTMLInputElement | null>;
  onChange: (choice: StartChoice) => void;
};

/** When the first pin goes out: now, or at a date and time in the user's time zone. */
export function StartFields({ choice, read, now, timeZone, timeRef, onChange }: StartFieldsProps) {
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
        "max-md:[&>fieldset]:flex-auto",
        isLater && "max-md:[&>fieldset]:basis-full",
      )}
    >
      <Segment
        tone="band"
        label="First pin"
        isLabelHidden
        options={[
          { value: "now", label: "Now" },
          { value: "later", label: "Later" },
        ]}
        value={choice.kind}
        onChange={(kind) => onChange(kind === "now" ? START_NOW : nextHour(now, timeZone))}
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
        <p id={noteId} role="alert" className={read.problem ? "col-span-full text-(--brick-300)" : "text-band-2"}>
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
  /** The raw text of the field. */
  text: string;
  minutes: number;
  /** Id of the error message; null without one. */
  problemId: string | null;
  onText: (text: string) => void;
};

/** The interval in minutes: typed, or in steps of 15 minutes. */
export function IntervalStepper({ text, minutes, problemId, onText }: IntervalStepperProps) {
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
