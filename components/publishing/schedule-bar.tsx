"use client";

import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import { useEffect, useState } from "react";
import { ScheduleTimeline } from "#components/publishing/schedule-timeline.tsx";
import { durationText } from "#components/publishing/schedule-view.ts";
import { Button } from "#components/ui/button.tsx";
import { MINUTE_MS } from "#lib/core/time.ts";
import {
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
  TEXTS,
} from "#lib/features/publishing/constants.ts";
import { isInterval, spanMinutes } from "#lib/features/publishing/policy.ts";

type ScheduleBarProps = {
  count: number;
  isBusy: boolean;
  timeZone: string;
  onClear: () => void;
  onSchedule: (intervalMinutes: number) => void;
};

const STEP_MINUTES = 15;

const bounded = (minutes: number): number =>
  Math.min(INTERVAL_MAX_MINUTES, Math.max(INTERVAL_MIN_MINUTES, Math.round(minutes)));

const stepped = (minutes: number, direction: 1 | -1): number => {
  if (!Number.isFinite(minutes)) return INTERVAL_DEFAULT_MINUTES;
  if (direction < 0 && minutes <= STEP_MINUTES) return bounded(minutes - 1);
  if (direction > 0 && minutes < STEP_MINUTES) return bounded(minutes + 1);
  return bounded(minutes + direction * STEP_MINUTES);
};

/** The present time, moved on once a minute: the times on the bar stay true while it is open. */
const useMinute = (): Date => {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
};

/** The bar that shows with a selection (R-SCH-01 to R-SCH-05): how many, how far apart, how long in all, and go. */
export function ScheduleBar({ count, isBusy, timeZone, onClear, onSchedule }: ScheduleBarProps) {
  const [text, setText] = useState(String(INTERVAL_DEFAULT_MINUTES));
  const now = useMinute();
  const minutes = text.trim() === "" ? Number.NaN : Number(text);
  const isValid = isInterval(minutes);
  return (
    <section className="schedule-bar" aria-label="Schedule the selected pins">
      <div className="whitespace-nowrap">
        <span className="schedule-count num" aria-live="polite">
          {count} selected
        </span>
        <button type="button" className="schedule-clear" onClick={onClear}>
          Clear
        </button>
      </div>
      <div className="schedule-interval">
        <label htmlFor="interval" className="schedule-words">
          every
        </label>
        <span className="stepper num">
          <button type="button" aria-label="Shorter interval" onClick={() => setText(String(stepped(minutes, -1)))}>
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
            aria-invalid={!isValid}
            aria-describedby={isValid ? undefined : "interval-problem"}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="button" aria-label="Longer interval" onClick={() => setText(String(stepped(minutes, 1)))}>
            <Plus aria-hidden="true" size={14} />
          </button>
        </span>
        <span className="schedule-words">minutes</span>
      </div>
      {isValid ? (
        <ScheduleTimeline count={count} intervalMinutes={minutes} now={now} timeZone={timeZone} />
      ) : (
        <div className="schedule-line" />
      )}
      <div className="schedule-go">
        <p className="schedule-duration num">
          Total duration
          <b>{isValid ? durationText(spanMinutes(count, minutes)) : "–"}</b>
        </p>
        <Button variant="band" isBusy={isBusy} disabled={!isValid} onClick={() => onSchedule(minutes)}>
          Schedule {count} {count === 1 ? "pin" : "pins"}
        </Button>
      </div>
      {!isValid && (
        <p id="interval-problem" role="alert" className="schedule-problem">
          {TEXTS.intervalInvalid}
        </p>
      )}
    </section>
  );
}
