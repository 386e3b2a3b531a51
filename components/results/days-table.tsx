import { DAY_STATES } from "#components/results/result-files.ts";
import { longDay, METRIC_NAMES } from "#components/results/result-words.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { METRICS } from "#lib/features/analytics/constants.ts";
import type { ResultDayWire } from "#lib/features/analytics/schema.ts";

const CAPTION = "Figures by day, in UTC";

/** The chart's figures, and the others, as a table; the newest day first. */
export function DaysTable({ days }: { days: readonly ResultDayWire[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="figures-scroll results-days" aria-label={CAPTION} tabIndex={0}>
      <table className="figures-table num">
        <caption className="sr-only">{CAPTION}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {METRICS.map((metric) => (
              <th key={metric} scope="col">
                {METRIC_NAMES[metric]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ date, status, figures }) => (
            <tr key={date}>
              <th scope="row">{longDay(date)}</th>
              {figures ? (
                METRICS.map((metric) => <td key={metric}>{formatCount(figures[metric])}</td>)
              ) : (
                <td colSpan={METRICS.length} className="italic-serif">
                  {DAY_STATES[status]}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
