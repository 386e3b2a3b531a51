import { Tack } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";

const LAYERS = [
  { where: "In the file", what: "trainedAlgorithmicMedia", text: "The IPTC value for an image made by a model." },
  { where: "With the pin", what: "AI_MODIFIED", text: "Sent with the title and link when the pin is created." },
  { where: "On the pin", what: "AI modified", text: "What people see when they open the pin." },
] as const;

/** The three places where a pin says how it was made. */
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
      {LAYERS.map(({ where, what, text }) => (
        <li key={where}>
          <span>{where}</span>
          <b>{what}</b>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

const STEPS = [
  { keyword: "bread", text: "A word. Too broad to rank for." },
  { keyword: "sourdough bread", text: "A topic. Good for a board name." },
  { keyword: "sourdough bread for beginners", text: "An audience. Good for a board section." },
  { keyword: "sourdough bread without a mixer", text: "A problem. Good for a pin." },
  { keyword: "sourdough schedule for a workday", text: "A situation. Good for a pin no one else has made." },
] as const;

/** A keyword that gets more specific, one step at a time. */
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
      {STEPS.map(({ keyword, text }) => (
        <li key={keyword}>
          <b>{keyword}</b>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

const SHAPES = [
  { name: "2:3", px: "1000 × 1500", text: "recommended by Pinterest", heightShare: 1.5 },
  { name: "9:14", px: "1080 × 1680", text: "a little taller, our default", heightShare: 14 / 9 },
  { name: "1:2.1", px: "1000 × 2100", text: "the bottom may be cut off", heightShare: 2.1, cutAt: 1.5 },
  { name: "1:1", px: "1000 × 1000", text: "two thirds of the space", heightShare: 1 },
] as const;

/** Four pin shapes of the same width, with the part that a feed may cut off. */
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
          <span>{shape.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The line runs from 8 AM to 10 PM. */
const FIRST_HOUR = 8;
const HOURS_SHOWN = 14;
const percentOf = (hour: number): string => `${((hour - FIRST_HOUR) / HOURS_SHOWN) * 100}%`;

const START_HOUR = 9;
const ROWS = [
  { text: "Eight pins, one minute apart", everyMinutes: 1 },
  { text: "Eight pins, 90 minutes apart", everyMinutes: 90 },
] as const;

const MARKS = [
  { hour: 9, label: "9 AM" },
  { hour: 12, label: "noon" },
  { hour: 15, label: "3 PM" },
  { hour: 18, label: "6 PM" },
  { hour: 21, label: "9 PM" },
] as const;

const PINS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The same eight pins on the line of a day: all at once, and spread out. */
export function SpacingFigure() {
  return (
    <div className="grid gap-5.5 pt-6.5 pb-4 px-7 rounded-card bg-board text-sm">
      {ROWS.map(({ text, everyMinutes }) => (
        <div key={text}>
          <b>{text}</b>
          <div
            className={cn(
              "relative h-8.5 mt-3",
              "before:absolute before:top-[17px] before:bottom-auto before:inset-x-0 before:border-t-[1.6px]",
              "before:border-thread [&>span]:absolute [&>span]:top-3.5",
            )}
            aria-hidden="true"
          >
            {PINS.map((index) => (
              <span key={index} style={{ left: percentOf(START_HOUR + (index * everyMinutes) / 60) }}>
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
