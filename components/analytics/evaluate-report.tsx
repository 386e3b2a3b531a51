import { cn } from "#components/ui/cn.ts";
import { countOf, formatCount } from "#lib/core/text.ts";
import { type Dimension, IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import { type ClickCounts, isAbove, others, standingOf } from "#lib/features/analytics/policy.ts";
import type { ReportRowWire, ReportWire, SyncWire } from "#lib/features/analytics/schema.ts";
import { formatShare } from "./analytics-text.ts";

/** Labels of tabs and column headers. */
export const DIMENSION_NAMES: Record<Dimension, string> = {
  keyword: "Keyword",
  board: "Board",
  weekday: "Weekday",
  hour: "Hour",
  style: "Image",
  template: "Template",
  link: "Link",
};

/** Singular and plural within a sentence. */
export const DIMENSION_NOUNS: Record<Dimension, { one: string; many: string }> = {
  keyword: { one: "keyword", many: "keywords" },
  board: { one: "board", many: "boards" },
  weekday: { one: "weekday", many: "weekdays" },
  hour: { one: "hour", many: "hours" },
  style: { one: "image type", many: "image types" },
  template: { one: "template", many: "templates" },
  link: { one: "link", many: "links" },
};

/** Board names, which are read live and never stored. */
type BoardNames = ReadonlyMap<string, string>;

/** A row's label; boards without a name are shown by id. @param boards null while loading */
export const rowLabel = ({ key, label }: Pick<ReportRowWire, "key" | "label">, boards: BoardNames | null): string =>
  label ?? (boards ? (boards.get(key) ?? `Board ${key}`) : "Board …");

/** The click rate that a full-width bar stands for, at most 1. */
export const scaleOf = (rows: readonly ReportRowWire[], average: number): number =>
  Math.max(average, ...rows.filter((row) => !row.is_undecided).map((row) => row.click_rate_high ?? 0)) || 1;

type RateRangeProps = {
  row: ReportRowWire;
  average: number | null;
  scale: number;
  /** For the finding instead of a table cell. */
  isLarge?: boolean;
};

export const AVERAGE_LINE = "w-0.5 bg-[repeating-linear-gradient(var(--ink-2)_0_3px,transparent_3px_5px)]";

const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100)).toFixed(2)}%`;

/**
 * A click rate with its 95 % interval: the bar is the interval, the dot the rate, the line the average. The text
 * repeats all of it.
 */
export function RateRange({ row, average, scale, isLarge = false }: RateRangeProps) {
  const { click_rate: rate, click_rate_low: low, click_rate_high: high } = row;
  if (rate === null || low === null || high === null) return <span className="text-ink-3">No impressions</span>;
  return (
    <span
      className={cn(
        "grid grid-cols-[4.4rem_minmax(90px,1fr)] items-center gap-x-3 gap-y-0.5 num",
        "max-md:grid-cols-[4rem_minmax(90px,1fr)]",
        isLarge && "w-[min(100%,26rem)]",
      )}
    >
      <b
        className={cn(
          "row-span-2",
          isLarge
            ? "text-left font-display text-[1.75rem]/none font-[360] tracking-[-0.02em]"
            : "text-right font-semibold max-md:text-left",
        )}
      >
        {formatShare(rate)}
      </b>
      <span
        className={cn(
          "relative h-3.5 rounded-[3px] bg-[length:100%_1px] bg-center bg-no-repeat",
          isLarge
            ? "bg-[linear-gradient(var(--line-2),var(--line-2))]"
            : "bg-[linear-gradient(var(--line),var(--line))]",
        )}
        aria-hidden="true"
      >
        <i
          className={cn(
            "absolute top-1 h-1.5 min-w-[3px] rounded-[3px]",
            "bg-[color-mix(in_oklab,var(--accent)_42%,var(--surface))]",
          )}
          style={{ left: percent(low / scale), right: percent(1 - high / scale) }}
        />
        {average !== null && (
          <i
            className={cn(AVERAGE_LINE, "absolute -inset-y-[3px] -ml-px")}
            style={{ left: percent(average / scale) }}
          />
        )}
        <i
          className="size-3 absolute top-px -ml-1.5 rounded-full bg-accent border-2 border-surface"
          style={{ left: percent(rate / scale) }}
        />
      </span>
      <span className={cn("text-micro/[1.3]", isLarge ? "text-ink-2" : "text-ink-3")}>
        <span className="sr-only">likely </span>
        {formatShare(low)} to {formatShare(high)}
      </span>
    </span>
  );
}

export interface Finding {
  /**
   * `leader`: best so far, maybe by luck. `only`: nothing to compare with. `clickless`: enough impressions, no clicks.
   * `unset`: no pin has the dimension. `undecided`: too few impressions. `none`: no impressions or metrics.
   */
  kind: "winner" | "leader" | "only" | "clickless" | "unset" | "undecided" | "none";
  row: ReportRowWire | null;
  /** How many groups the row does not significantly beat. */
  level: number;
  /** Shown in place of the row's name. */
  name: string;
  text: string;
}

const finding = (kind: Finding["kind"], row: ReportRowWire | null, text: string): Finding => ({
  ...{ kind, row, text },
  level: 0,
  name: TEXTS.tooEarly,
});

/** The click rate of all pins; null without impressions. */
export const averageOf = ({ totals }: Pick<ReportWire, "totals">): number | null =>
  totals.impressions === 0 ? null : totals.outbound_clicks / totals.impressions;

const seenOf = ({ impressions, outbound_clicks }: ReportWire["totals"]): ClickCounts => ({
  impressions,
  outboundClicks: outbound_clicks,
});

/** The number of groups with enough data, including those beyond the rows. */
const countEvaluated = ({ rows, more, undecided, uncounted }: ReportWire): number =>
  rows.length + more - undecided - uncounted;

/** Whether a group is clicked significantly less often, so that "More like this" is not offered. */
export const isBelow = (row: ReportRowWire, report: ReportWire): boolean => {
  const own = seenOf(row.figures);
  return isAbove(others(seenOf(report.totals), own), own, countEvaluated(report));
};

const UNSET: Record<Dimension, string> = {
  keyword: "None of these pins were made from a keyword.",
  board: "None of these pins are on a known board.",
  weekday: "We don't know which day these pins were published.",
  hour: "We don't know what time these pins were published.",
  style: "We don't know where the images of these pins came from.",
  template: "None of these pins use a template.",
  link: "None of these pins have a link.",
};

const uncountedText = ({ state, text, published, gone, refused }: SyncWire): string => {
  if (state === "working") return "We're loading metrics for these pins from Pinterest. They'll show up as they load.";
  if (state === "waiting") return "Metrics for these pins will load when Pinterest accepts requests again.";
  if (state === "held") return `Metrics for these pins couldn't be loaded. ${text ?? "Pinterest isn't responding."}`;
  if (gone + refused >= published) return "Pinterest has no metrics for these pins.";
  if (state === "lost") return "Reconnect the account to load metrics for these pins.";
  return "No metrics have been loaded for these pins yet.";
};

/** What a lost connection means for an account's metrics. */
export const connectionText = ({ published, counted, gone, refused }: SyncWire): string => {
  const missing = counted + gone + refused < published && "missing metrics can't load";
  const shown = counted > 0 && "current metrics expire within a day";
  const until = [missing, shown].filter(Boolean).join(", and ") || "no metrics can load";
  return `This account is disconnected from Pinterest. Until you reconnect it, ${until}.`;
};

const unseen = ({ gather }: ReportWire): Finding => {
  if (gather.counted === 0) return { ...finding("none", null, uncountedText(gather)), name: "No metrics yet" };
  return finding(
    "none",
    null,
    "No impressions in this period so far. Pinterest's numbers are final after about two days.",
  );
};

const undecided = (row: ReportRowWire, { by }: ReportWire): Finding => {
  const { one } = DIMENSION_NOUNS[by];
  const [least, seen] = [formatCount(IMPRESSIONS_MIN), formatCount(row.figures.impressions)];
  const text = `No ${one} has ${least} impressions in this period yet. The closest has ${seen}.`;
  return finding("undecided", row, text);
};

const clickless = ({ by, rows, totals }: ReportWire): Finding => {
  const { one, many } = DIMENSION_NOUNS[by];
  const unset = rows.find(({ key }) => key === "");
  const source = unset && unset.figures.outbound_clicks > 0 ? "other pins" : `${many} with fewer impressions`;
  const text =
    totals.outbound_clicks === 0
      ? `${formatCount(totals.impressions)} impressions in this period, but no outbound clicks.`
      : `No ${one} with ${formatCount(IMPRESSIONS_MIN)} or more impressions has an outbound click yet. The clicks so far came from ${source}.`;
  return { ...finding("clickless", null, text), name: "No clicks yet" };
};

const levelText = (level: number, { by }: ReportWire): string => {
  if (level === 0) return "";
  const { one, many } = DIMENSION_NOUNS[by];
  return ` It's effectively tied with ${level === 1 ? `one other ${one}` : `${formatCount(level)} other ${many}`}.`;
};

const compared = (evaluated: readonly [ReportRowWire, ...ReportRowWire[]], report: ReportWire): Finding => {
  const [row] = evaluated;
  const { one } = DIMENSION_NOUNS[report.by];
  const { outbound_clicks, impressions } = row.figures;
  const seen = `${countOf(outbound_clicks, "outbound click")} from ${formatCount(impressions)} impressions on ${countOf(row.pins, "pin")}.`;
  const all = seenOf(report.totals);
  const rest = others(all, seenOf(row.figures));
  if (rest.impressions <= 0) return finding("only", row, `${seen} There's no other ${one} to compare it with yet.`);
  const groups = evaluated.map(({ figures }) => seenOf(figures));
  const { isSure, level } = standingOf(groups, all, countEvaluated(report));
  const restText = `All other pins: ${formatShare(rest.outboundClicks / rest.impressions)}.`;
  const luckText = isSure ? "A lead this clear is very unlikely to be luck." : "This could still be luck.";
  const text = `${seen} ${restText} ${luckText}${levelText(level, report)}`;
  return { ...finding(isSure ? "winner" : "leader", row, text), level };
};

/** Finds the best group and how certain that is. Pins without the dimension form no group. */
export const evaluateReport = (report: ReportWire): Finding => {
  if (report.gather.counted === 0 || report.totals.impressions === 0) return unseen(report);
  const named = report.rows.filter(({ key }) => key !== "");
  const [best, ...evaluated] = named.filter(({ is_undecided }) => !is_undecided);
  if (best && best.figures.outbound_clicks > 0) return compared([best, ...evaluated], report);
  if (best) return clickless(report);
  const nearest = named.toSorted((a, b) => b.figures.impressions - a.figures.impressions)[0];
  if (nearest) return undecided(nearest, report);
  return { ...finding("unset", null, UNSET[report.by]), name: "Nothing to compare" };
};
