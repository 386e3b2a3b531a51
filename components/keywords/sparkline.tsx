import type { TrendWeekWire } from "#lib/features/keywords/schema.ts";
import { seriesText } from "./keyword-texts.ts";

const [WIDTH, HEIGHT, PADDING] = [132, 36, 3];

type SparklineProps = { weeks: readonly TrendWeekWire[]; forecast: readonly TrendWeekWire[] };

/** Searches by week, with the forecast dashed. Both have their own scale, so they are separate lines. */
export function Sparkline({ weeks, forecast }: SparklineProps) {
  const count = weeks.length + forecast.length;
  if (weeks.length < 2) return <span className="text-xs text-ink-3">No data</span>;
  const pointsOf = (series: readonly TrendWeekWire[], from: number) =>
    series
      .map(({ value }, at) => {
        const x = PADDING + ((from + at) / (count - 1)) * (WIDTH - 2 * PADDING);
        const y = HEIGHT - PADDING - (value / 100) * (HEIGHT - 2 * PADDING);
        return `${x.toFixed(1)},${y.toFixed(1)}`;
      })
      .join(" ");
  return (
    <svg
      role="img"
      aria-label={seriesText(weeks, forecast)}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="block h-9 w-[132px] max-md:w-full max-md:max-w-60"
      preserveAspectRatio="none"
      fill="none"
      strokeWidth={1.6}
      strokeLinejoin="round"
      strokeLinecap="round"
    >
      <polyline points={pointsOf(weeks, 0)} className="stroke-(--thread)" vectorEffect="non-scaling-stroke" />
      {forecast.length > 1 && (
        <polyline
          data-slot="forecast"
          points={pointsOf(forecast, weeks.length)}
          className="stroke-(--ink-3)"
          strokeDasharray="3 3"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
