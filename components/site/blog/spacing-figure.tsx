import { Tack } from "#components/pins/tack.tsx";

/** The line runs from eight in the morning to ten at night; places on it are percents. */
const FIRST_HOUR = 8;
const HOURS_SHOWN = 14;
const percentOf = (hour: number): string => `${((hour - FIRST_HOUR) / HOURS_SHOWN) * 100}%`;

const START_HOUR = 9;
const ROWS = [
  { words: "Eight pins in eight minutes", everyMinutes: 1 },
  { words: "Eight pins, ninety minutes apart", everyMinutes: 90 },
] as const;

const MARKS = [
  { hour: 9, label: "9 AM" },
  { hour: 12, label: "noon" },
  { hour: 15, label: "3 PM" },
  { hour: 18, label: "6 PM" },
  { hour: 21, label: "9 PM" },
] as const;

const PINS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The same eight pins twice on the thread of a day: in a heap, and spread. */
export function SpacingFigure() {
  return (
    <div className="spacing">
      {ROWS.map(({ words, everyMinutes }) => (
        <div key={words}>
          <b>{words}</b>
          <div className="spacing-line" aria-hidden="true">
            {PINS.map((place) => (
              <span key={place} style={{ left: percentOf(START_HOUR + (place * everyMinutes) / 60) }}>
                <Tack state="scheduled" />
              </span>
            ))}
          </div>
        </div>
      ))}
      <p className="spacing-hours num" aria-hidden="true">
        {MARKS.map(({ hour, label }) => (
          <span key={label} style={{ left: percentOf(hour) }}>
            {label}
          </span>
        ))}
      </p>
    </div>
  );
}
