import { type RefObject, useId } from "react";
import {
  AT_ONCE,
  nextHour,
  offsetText,
  type StartChoice,
  type StartRead,
  startDays,
} from "#components/publishing/read-start.ts";
import { Segment } from "#components/ui/segment.tsx";

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
export function StartFields({ choice, read, now, timeZone, timeRef, onChange }: StartFieldsProps) {
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
