import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import {
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
} from "#lib/features/publishing/constants.ts";

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
export function IntervalStepper({ text, minutes, problemId, onText }: IntervalStepperProps) {
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
