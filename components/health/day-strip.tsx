import { formatUptime, uptimePercent } from "#lib/features/health/policy.ts";
import type { MeasuredDay } from "#lib/features/health/schema.ts";

const STEP = 10;
const WIDTH = 7;
const HEIGHT = 44;
/** Below this share of its minutes a day is shown as bad. */
const BAD_PERCENT = 99;
const LEAST_HEIGHT = 8;

const toneOf = (day: MeasuredDay): "none" | "whole" | "partial" | "bad" => {
  const percent = uptimePercent(day);
  if (percent === null) return "none";
  if (day.recordedMinutes >= day.elapsedMinutes) return "whole";
  return percent >= BAD_PERCENT ? "partial" : "bad";
};

/** The worse a day, the shorter its bar; colour only repeats that. */
const heightOf = (day: MeasuredDay): number => {
  const tone = toneOf(day);
  if (tone === "none") return LEAST_HEIGHT;
  if (tone === "whole") return HEIGHT;
  const share = day.recordedMinutes / day.elapsedMinutes;
  return Math.max(LEAST_HEIGHT, Math.min(HEIGHT - 8, share * (HEIGHT - 8)));
};

const sayOf = (day: MeasuredDay): string => `${day.day}: ${formatUptime(day) ?? "not measured"}`;

/** Ninety days, one bar each, today at the right. The same in words is in the list below it. */
export function DayStrip({ days }: { days: readonly MeasuredDay[] }) {
  const measured = days.filter(({ elapsedMinutes }) => elapsedMinutes > 0);
  return (
    <figure className="status-days">
      <svg aria-hidden="true" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        {days.map((day, index) => (
          <rect
            key={day.day}
            className={`status-day status-day-${toneOf(day)}`}
            x={index * STEP}
            y={HEIGHT - heightOf(day)}
            width={WIDTH}
            height={heightOf(day)}
            rx={1.5}
          >
            <title>{sayOf(day)}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{days.length} days ago</span>
        <span>Today, in UTC</span>
      </figcaption>
      {measured.length > 0 && (
        <details className="status-day-list">
          <summary>Day by day</summary>
          <ul>
            {measured.toReversed().map((day) => (
              <li key={day.day} className="num">
                <time dateTime={day.day}>{day.day}</time>
                <span>{formatUptime(day)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </figure>
  );
}
