import { Tack } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";

const LAYERS = [
  { where: "In the file", what: "trainedAlgorithmicMedia", words: "IPTC’s word for a picture that a model made." },
  { where: "With the pin", what: "AI_MODIFIED", words: "Sent beside title and link when the pin is created." },
  { where: "On the pin", what: "AI modified", words: "What people read when they open it." },
] as const;

/** The three places in which a pin says how it was made. */
export function DisclosureFigure() {
  return (
    <ol
      className={cn(
        "grid grid-cols-3 border-y border-line-2 max-md:grid-cols-[1fr]",
        "[&>li]:grid [&>li]:content-start [&>li]:gap-1.5 [&>li]:pt-4.5 [&>li]:pb-5.5 [&>li]:px-5",
        "[&>li]:text-sm/[1.45] [&>li]:text-ink-2 [&>li+li]:border-l [&>li+li]:border-line",
        "[&>li:first-child]:pl-0",
        "[&_b]:font-display [&_b]:text-[1.1875rem]/[1.2] [&_b]:font-[450] [&_b]:tracking-[-0.012em]",
        "[&_b]:text-ink [&_b]:wrap-anywhere",
        "max-md:[&>li:nth-child(n)]:py-3.5 max-md:[&>li:nth-child(n)]:px-0",
        "max-md:[&>li:nth-child(n)]:border-l-0 max-md:[&>li+li]:border-t max-md:[&>li+li]:border-line",
      )}
    >
      {LAYERS.map(({ where, what, words }) => (
        <li key={where}>
          <span>{where}</span>
          <b>{what}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}

const STEPS = [
  { keyword: "bread", words: "A word. Everybody's, so nobody's." },
  { keyword: "sourdough bread", words: "A subject. Good for the name of a board." },
  { keyword: "sourdough bread for beginners", words: "A person. Good for a board's section." },
  { keyword: "sourdough bread without a mixer", words: "A problem. Good for a pin." },
  { keyword: "sourdough timetable for a working day", words: "A moment. Good for a pin nobody else has made." },
] as const;

/** A keyword on its way from a word to a moment, one rung at a time. */
export function KeywordLadder() {
  return (
    <ol
      className={cn(
        "grid",
        "[&>li]:grid [&>li]:grid-cols-2 [&>li]:gap-y-1 [&>li]:gap-x-6 [&>li]:items-baseline",
        "[&>li]:py-[11px] [&>li]:text-sm/[1.45] [&>li]:text-ink-2 [&>li]:border-b [&>li]:border-line",
        "[&>li:first-child]:border-t [&>li:first-child]:border-line",
        "[&_b]:italic [&_b]:font-display [&_b]:text-[1.1875rem]/[1.25] [&_b]:font-[420]",
        "[&_b]:tracking-[-0.012em] [&_b]:text-ink max-md:[&>li]:grid-cols-[1fr]",
      )}
    >
      {STEPS.map(({ keyword, words }) => (
        <li key={keyword}>
          <b>{keyword}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}

const SHAPES = [
  { name: "2:3", px: "1000 × 1500", words: "Pinterest’s own advice", heightShare: 1.5 },
  { name: "9:14", px: "1080 × 1680", words: "a little taller, ours", heightShare: 14 / 9 },
  { name: "1:2.1", px: "1000 × 2100", words: "may lose its foot", heightShare: 2.1, cutAt: 1.5 },
  { name: "1:1", px: "1000 × 1000", words: "two thirds of the wall", heightShare: 1 },
] as const;

/** Four outlines of one width: what is gained by height, and where a feed may cut. */
export function PinShapes() {
  return (
    <ul
      className={cn(
        "grid grid-cols-4 gap-[clamp(12px,2vw,28px)] items-end text-xs/[1.45] text-ink-2 [&>li]:grid",
        "[&_b]:mt-2.5 [&_b]:font-display [&_b]:text-h3/[1.3] [&_b]:font-normal [&_b]:text-ink",
      )}
    >
      {SHAPES.map((shape) => (
        <li key={shape.name}>
          <span
            className="relative block overflow-hidden rounded-(--r-pin-sm) bg-accent-tint border-[1.5px] border-accent-ink"
            style={{ aspectRatio: `1 / ${shape.heightShare}` }}
          >
            {"cutAt" in shape && (
              <span
                className="absolute inset-x-0 bottom-0 bg-page border-t-[1.5px] border-dashed border-control"
                style={{ top: `${(shape.cutAt / shape.heightShare) * 100}%` }}
              />
            )}
          </span>
          <b className="num">{shape.name}</b>
          <span className="num">{shape.px}</span>
          <span>{shape.words}</span>
        </li>
      ))}
    </ul>
  );
}

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
    <div className="grid gap-5.5 pt-6.5 pb-4 px-7 rounded-card bg-board text-sm">
      {ROWS.map(({ words, everyMinutes }) => (
        <div key={words}>
          <b>{words}</b>
          <div
            className={cn(
              "relative h-8.5 mt-3",
              "before:absolute before:top-[17px] before:bottom-auto before:inset-x-0 before:border-t-[1.6px]",
              "before:border-thread [&>span]:absolute [&>span]:top-3.5",
            )}
            aria-hidden="true"
          >
            {PINS.map((place) => (
              <span key={place} style={{ left: percentOf(START_HOUR + (place * everyMinutes) / 60) }}>
                <Tack state="scheduled" />
              </span>
            ))}
          </div>
        </div>
      ))}
      <p
        className="relative h-5 text-xs text-ink-3 [&>span]:absolute [&>span]:[translate:-50%_0] num"
        aria-hidden="true"
      >
        {MARKS.map(({ hour, label }) => (
          <span key={label} style={{ left: percentOf(hour) }}>
            {label}
          </span>
        ))}
      </p>
    </div>
  );
}
