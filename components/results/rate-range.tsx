import { formatShare } from "#components/results/result-words.ts";
import type { ResultRowWire } from "#lib/features/analytics/schema.ts";

/** A rate that a bar of full width stands for, at most 1. */
export const scaleOf = (rows: readonly ResultRowWire[], average: number): number =>
  Math.max(average, ...rows.filter((row) => !row.is_undecided).map((row) => row.click_rate_high ?? 0)) || 1;

type RateRangeProps = { row: ResultRowWire; average: number | null; scale: number };

const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100)).toFixed(2)}%`;

/**
 * A click rate with the range in which it lies with 95 % certainty: the bar is the range, the tack the rate, the line
 * all pins together. The words beside it say the same.
 */
export function RateRange({ row, average, scale }: RateRangeProps) {
  const { click_rate: rate, click_rate_low: low, click_rate_high: high } = row;
  if (rate === null || low === null || high === null) return <span className="text-ink-3">Not seen</span>;
  return (
    <span className="rate num">
      <b>{formatShare(rate)}</b>
      <span className="rate-bar" aria-hidden="true">
        <i className="rate-span" style={{ left: percent(low / scale), right: percent(1 - high / scale) }} />
        {average !== null && <i className="rate-average" style={{ left: percent(average / scale) }} />}
        <i className="rate-tack" style={{ left: percent(rate / scale) }} />
      </span>
      <span className="rate-words">
        <span className="sr-only">likely </span>
        {formatShare(low)} to {formatShare(high)}
      </span>
    </span>
  );
}
