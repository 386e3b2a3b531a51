import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Equal from "lucide-react/icons/equal";
import { useId } from "react";
import { changeOf, formatShare, METRIC_NAMES } from "#components/results/result-words.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { formatCount } from "#lib/core/numbers.ts";
import { METRICS, type Metric } from "#lib/features/analytics/constants.ts";
import type { AccountResultsWire, FiguresWire } from "#lib/features/analytics/schema.ts";

type FigureChoiceProps = {
  /** Null while Pinterest is asked. */
  results: AccountResultsWire | null;
  value: Metric;
  onChange: (metric: Metric) => void;
};

const ARROWS = { up: ArrowUp, down: ArrowDown, same: Equal } as const;

function Rate({ metric, sums }: { metric: Metric; sums: FiguresWire }) {
  if (metric === "impressions") return "times a pin was seen";
  if (sums.impressions === 0) return "nothing was seen";
  return `${formatShare(sums[metric] / sums.impressions)} of impressions`;
}

function Delta({ metric, results: { sums, before } }: { metric: Metric; results: AccountResultsWire }) {
  if (!before) return <span className="figure-delta">No older figures</span>;
  const { way, text } = changeOf(sums[metric], before.sums[metric]);
  const Arrow = ARROWS[way];
  return (
    <span className="figure-delta" data-way={way}>
      <Arrow aria-hidden="true" />
      {text}
    </span>
  );
}

/** The account's five figures with rates and changes. Each is also the choice of what the chart shows. */
export function FigureChoice({ results, value, onChange }: FigureChoiceProps) {
  const name = useId();
  return (
    <fieldset className="figure-choice" aria-busy={results === null}>
      <legend className="sr-only">Figure in the chart</legend>
      {METRICS.map((metric) => (
        <label key={metric} className="figure-option">
          <input type="radio" name={name} checked={metric === value} onChange={() => onChange(metric)} />
          <span className="figure-name">{METRIC_NAMES[metric]}</span>
          {results ? (
            <>
              <b className="figure-number">
                {results.ready_through === null ? "–" : formatCount(results.sums[metric])}
              </b>
              <span className="figure-rate num">
                {results.ready_through === null ? "not final yet" : <Rate metric={metric} sums={results.sums} />}
              </span>
              {results.ready_through === null ? (
                <span className="figure-delta">&nbsp;</span>
              ) : (
                <Delta metric={metric} results={results} />
              )}
            </>
          ) : (
            <>
              <span className="figure-number">
                <Skeleton className="h-[0.8em] w-24" />
              </span>
              <span className="figure-rate">
                <Skeleton className="h-3 w-28" />
              </span>
              <span className="figure-delta">
                <Skeleton className="h-3 w-20" />
              </span>
            </>
          )}
        </label>
      ))}
    </fieldset>
  );
}
