import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#lib/core/text.ts";
import { type Dimension, IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import { isAbove, others, type Seen, standOf } from "#lib/features/analytics/policy.ts";
import type { GatherWire, ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";
import { countOf, formatShare } from "./result-words.ts";

/** What pins are grouped by, as tabs and heads of columns name it. */
export const DIMENSION_NAMES: Record<Dimension, string> = {
  keyword: "Keyword",
  board: "Board",
  weekday: "Weekday",
  hour: "Hour",
  style: "Picture",
  template: "Template",
  link: "Link",
};

/** The same in the middle of a sentence, one and several. */
export const DIMENSION_WORDS: Record<Dimension, { one: string; many: string }> = {
  keyword: { one: "keyword", many: "keywords" },
  board: { one: "board", many: "boards" },
  weekday: { one: "weekday", many: "weekdays" },
  hour: { one: "hour", many: "hours" },
  style: { one: "kind of picture", many: "kinds of pictures" },
  template: { one: "template", many: "templates" },
  link: { one: "link", many: "links" },
};

/** Names that only the browser can look up: of boards, which are read live and never kept. */
type BoardNames = ReadonlyMap<string, string>;

/**
 * What a row of a report is called: as the server says; a board by its name, or by its id where Pinterest tells none.
 * @param boards null while they are on their way
 */
export const rowLabel = ({ key, label }: Pick<ResultRowWire, "key" | "label">, boards: BoardNames | null): string =>
  label ?? (boards ? (boards.get(key) ?? `Board ${key}`) : "Board …");

/** A rate that a bar of full width stands for, at most 1. */
export const scaleOf = (rows: readonly ResultRowWire[], average: number): number =>
  Math.max(average, ...rows.filter((row) => !row.is_undecided).map((row) => row.click_rate_high ?? 0)) || 1;

type RateRangeProps = {
  row: ResultRowWire;
  average: number | null;
  scale: number;
  /** As the board shows it, instead of a table's cell. */
  isLarge?: boolean;
};

/** How the line of all pins together is drawn. */
export const AVERAGE_LINE = "w-0.5 bg-[repeating-linear-gradient(var(--ink-2)_0_3px,transparent_3px_5px)]";

const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100)).toFixed(2)}%`;

/**
 * A click rate with the range in which it lies with 95 % certainty: the bar is the range, the tack the rate, the line
 * all pins together. The words beside it say the same.
 */
export function RateRange({ row, average, scale, isLarge = false }: RateRangeProps) {
  const { click_rate: rate, click_rate_low: low, click_rate_high: high } = row;
  if (rate === null || low === null || high === null) return <span className="text-ink-3">Not seen</span>;
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
          // The board is darker than the card.
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

/** What a report says in one sentence. */
export interface Finding {
  /**
   * `winner`: surely better than the other pins. `leader`: in front, maybe by luck. `only`: nothing to compare with.
   * `clickless`: seen often, and never clicked. `unset`: no pin has what is compared. `undecided`: seen too seldom.
   * `none`: not seen, or no figures are here.
   */
  kind: "winner" | "leader" | "only" | "clickless" | "unset" | "undecided" | "none";
  /** The row that it is about. */
  row: ResultRowWire | null;
  /** Groups that the row's lead may be luck against. */
  level: number;
  /** What stands where otherwise the row's name does. */
  name: string;
  text: string;
}

const finding = (kind: Finding["kind"], row: ResultRowWire | null, text: string): Finding => ({
  ...{ kind, row, text },
  level: 0,
  name: TEXTS.tooEarly,
});

/** Outbound clicks per impression of all pins of a report; null where nothing was seen. */
export const averageOf = ({ totals }: Pick<ReportWire, "totals">): number | null =>
  totals.impressions === 0 ? null : totals.outbound_clicks / totals.impressions;

const seenOf = ({ impressions, outbound_clicks }: ReportWire["totals"]): Seen => ({
  impressions,
  outboundClicks: outbound_clicks,
});

/** How many groups of a report were judged, those beyond its rows too. */
const countJudged = ({ rows, more, undecided, uncounted }: ReportWire): number =>
  rows.length + more - undecided - uncounted;

/** Whether a group is surely clicked less often than the other pins: more of it is nothing to propose. */
export const isBelow = (row: ResultRowWire, report: ReportWire): boolean => {
  const own = seenOf(row.figures);
  return isAbove(others(seenOf(report.totals), own), own, countJudged(report));
};

const UNSET: Record<Dimension, string> = {
  keyword: "No pin of these was made from a keyword.",
  board: "No pin of these is on a known board.",
  weekday: "It is not known on which day these pins were published.",
  hour: "It is not known at which hour these pins were published.",
  style: "It is not known where the pictures of these pins came from.",
  template: "No pin of these was made with a template.",
  link: "No pin of these has a link.",
};

const uncountedText = ({ state, text, published, gone, refused }: GatherWire): string => {
  if (state === "working") return "Pinterest is being asked for the figures of these pins. They appear as they arrive.";
  if (state === "waiting") return "The figures of these pins come as soon as Pinterest may be asked again.";
  if (state === "held")
    return `The figures of these pins could not be fetched. ${text ?? "Pinterest does not answer."}`;
  if (gone + refused >= published) return "Pinterest tells no figures of these pins.";
  if (state === "lost") return "The figures of these pins can be fetched once the account is connected again.";
  return "No figures of these pins have been fetched yet.";
};

/** What a lost connection means for the figures of an account's pins. */
export const connectionText = ({ published, counted, gone, refused }: GatherWire): string => {
  const missing = counted + gone + refused < published && "missing figures are not fetched";
  const shown = counted > 0 && "those shown are not renewed: they go within a day";
  const until = [missing, shown].filter(Boolean).join(", and ") || "no figures are fetched";
  return `This account’s connection to Pinterest is lost. Until you connect it again, ${until}.`;
};

const unseen = ({ gather }: ReportWire): Finding => {
  if (gather.counted === 0) return { ...finding("none", null, uncountedText(gather)), name: "No figures yet" };
  return finding(
    "none",
    null,
    "In these days no pin was seen, as far as Pinterest’s figures are final. A day’s are after about two days.",
  );
};

const undecided = (row: ResultRowWire, { by }: ReportWire): Finding => {
  const { one } = DIMENSION_WORDS[by];
  const [least, seen] = [formatCount(IMPRESSIONS_MIN), formatCount(row.figures.impressions)];
  const text = `No ${one} has been seen ${least} times in these days. The nearest has ${seen} impressions.`;
  return finding("undecided", row, text);
};

const clickless = (judged: readonly ResultRowWire[], { by, totals }: ReportWire): Finding => {
  const seen = judged.reduce((sum, { figures }) => sum + figures.impressions, 0);
  const text =
    totals.outbound_clicks === 0
      ? `Seen ${formatCount(totals.impressions)} times in these days, and no link was clicked.`
      : `Each ${DIMENSION_WORDS[by].one} that was seen ${formatCount(IMPRESSIONS_MIN)} times, together ${formatCount(seen)}, has no click. The few clicks are those of others.`;
  return { ...finding("clickless", null, text), name: "No clicks yet" };
};

const levelText = (level: number, { by }: ReportWire): string => {
  if (level === 0) return "";
  const { one, many } = DIMENSION_WORDS[by];
  return ` It is level with ${level === 1 ? `one other ${one}` : `${formatCount(level)} other ${many}`}: its lead over ${level === 1 ? "that one" : "those"} may be luck.`;
};

const compared = (judged: readonly [ResultRowWire, ...ResultRowWire[]], report: ReportWire): Finding => {
  const [row] = judged;
  const { one } = DIMENSION_WORDS[report.by];
  const { outbound_clicks, impressions } = row.figures;
  const seen = `${countOf(outbound_clicks, "click")} of ${formatCount(impressions)} impressions, ${countOf(row.pins, "pin")}.`;
  const all = seenOf(report.totals);
  const rest = others(all, seenOf(row.figures));
  if (rest.impressions <= 0) return finding("only", row, `${seen} There is no other ${one} to compare it with.`);
  const groups = judged.map(({ figures }) => seenOf(figures));
  const { isSure, level } = standOf(groups, all, countJudged(report));
  const restText = `The other pins together: ${formatShare(rest.outboundClicks / rest.impressions)}.`;
  const luckText = isSure
    ? "Luck alone makes so clear a lead in fewer than one of forty reports."
    : "This may still be luck.";
  const text = `${seen} ${restText} ${luckText}${levelText(level, report)}`;
  return { ...finding(isSure ? "winner" : "leader", row, text), level };
};

/** What works, as far as the figures tell: the best group, and how sure that is. What is not set is no group here. */
export const judgeReport = (report: ReportWire): Finding => {
  if (report.gather.counted === 0 || report.totals.impressions === 0) return unseen(report);
  const named = report.rows.filter(({ key }) => key !== "");
  const [best, ...judged] = named.filter(({ is_undecided }) => !is_undecided);
  if (best && best.figures.outbound_clicks > 0) return compared([best, ...judged], report);
  if (best) return clickless([best, ...judged], report);
  const nearest = named.toSorted((a, b) => b.figures.impressions - a.figures.impressions)[0];
  if (nearest) return undecided(nearest, report);
  return { ...finding("unset", null, UNSET[report.by]), name: "Nothing to compare" };
};
