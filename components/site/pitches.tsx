import type { ReactNode } from "react";
import { Pin, type PinState } from "#components/shared/pin.tsx";
import { Thread } from "#components/shared/thread.tsx";
import { cn } from "#components/ui/cn.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { PosterImage } from "./poster-boards.tsx";

type SmallPinProps = { poster: string; state?: PinState; hasTack?: boolean };

/** Largest width of these pins, in CSS px. */
const SMALL_PX = 132;

function SmallPin({ poster, state = "published", hasTack = false }: SmallPinProps) {
  return (
    <Pin state={state} size="sm" hasTack={hasTack}>
      <PosterImage name={poster} alt="" widthPx={SMALL_PX} />
    </Pin>
  );
}

const KEYWORDS = ["winter baking", "pottery at home", "which Christmas tree to buy"];

/** Three keywords and the pins made from them. */
function KeywordImage() {
  return (
    <>
      <div className="absolute bottom-[22px] left-0 grid w-[min(300px,56%)] gap-2">
        {KEYWORDS.map((keyword) => (
          <span
            key={keyword}
            className="flex min-h-11 items-center rounded-control border border-line-2 bg-surface px-[13px] text-[1rem] shadow-card md:text-ui"
          >
            <span className="truncate">{keyword}</span>
          </span>
        ))}
      </div>
      <div
        className={cn(
          "absolute right-0 bottom-0 flex [&>*]:relative [&>*]:w-29.5 [&>*]:-ml-11.5",
          "[&>:nth-child(1)]:transform-[rotate(-7deg)_translateY(12px)] [&>:nth-child(2)]:z-1",
          "[&>:nth-child(3)]:z-2 [&>:nth-child(3)]:transform-[rotate(7deg)_translateY(12px)]",
          "max-md:[&>*]:w-23",
        )}
      >
        {["bread", "pots", "fir"].map((poster) => (
          <span key={poster}>
            <SmallPin poster={poster} />
          </span>
        ))}
      </div>
    </>
  );
}

const STACK = [
  "lisbon",
  "pots",
  "citrus",
  "read",
  "quilt",
  "eucalypt",
  "pasta",
  "dunes",
  "figs",
  "kitchen",
  "meadow",
  "fir",
];
const LIFT_PX = [0, 10, 4, 16, 6, 12, 0, 14, 4, 10, 2, 0];

/** A stack of a dozen drafts. */
function StackImage() {
  return STACK.map((poster, index) => (
    <span
      key={poster}
      className="absolute w-[132px]"
      style={{
        left: `calc((100% - 132px) * ${(index / (STACK.length - 1)).toFixed(3)})`,
        bottom: LIFT_PX[index],
        zIndex: index,
      }}
    >
      <SmallPin poster={poster} />
    </span>
  ));
}

const HOURS = [
  { poster: "bedroom", at: "9:00 AM", x: 70, y: 36 },
  { poster: "swim", at: "10:00 AM", x: 216, y: 54 },
  { poster: "citrus", at: "11:00 AM", x: 362, y: 36 },
  { poster: "pasta", at: "12:00 PM", x: 508, y: 54 },
] as const;

const FIELD_PX = 572;
const EDGES = { from: { x: -30, y: 18 }, to: { x: 600, y: 24 } } as const;

/** Four pins on a thread, an hour apart. */
function ScheduleImage() {
  return (
    <div className="absolute inset-0">
      <Thread points={[EDGES.from, ...HOURS, EDGES.to]} width={FIELD_PX} height={120} isStretched />
      {HOURS.map(({ poster, at, x, y }) => (
        <span
          key={poster}
          className="absolute w-22 -ml-11 text-center text-xs text-ink-2 max-md:w-18.5 max-md:ml-[-37px]"
          style={{ left: `${(x / FIELD_PX) * 100}%`, top: y }}
        >
          <SmallPin poster={poster} state="scheduled" hasTack />
          <span className="num mt-[9px] block">{at}</span>
        </span>
      ))}
    </div>
  );
}

/** Positions of pins on the chart line, in percent of its size. */
const CHART_PINS = [
  { poster: "quilt", left: 31, bottom: 22 },
  { poster: "wardrobe", left: 62, bottom: 48 },
  { poster: "night", left: 89, bottom: 74 },
] as const;

const LINE = "M0 196L52 190L104 194L156 176L208 168L260 172L312 146L364 128L416 132L468 96L520 62L572 40";

/** A rising chart line with pins on it. */
function ChartImage() {
  return (
    <div className="absolute inset-0 [&>svg]:size-full [&>svg]:overflow-visible">
      <svg aria-hidden="true" viewBox="0 0 572 220" preserveAspectRatio="none">
        <path className="fill-published-tint" d={`${LINE}V220H0Z`} />
        <path className="fill-none stroke-thread stroke-[1.8] [vector-effect:non-scaling-stroke]" d={LINE} />
      </svg>
      {CHART_PINS.map(({ poster, left, bottom }) => (
        <span
          key={poster}
          className="absolute w-16.5 ml-[-33px] [translate:0_50%] max-[35.0625rem]:w-13.5 max-[35.0625rem]:ml-[-27px]"
          style={{ left: `${left}%`, bottom: `${bottom}%` }}
        >
          <SmallPin poster={poster} hasTack />
        </span>
      ))}
    </div>
  );
}

type Pitch = { title: string; text: string; image: ReactNode };

const PITCHES: readonly Pitch[] = [
  {
    title: "AI content creation",
    text: "Enter a keyword and, if you like, a link. You get a finished pin with a title, a description, and an image.",
    image: <KeywordImage />,
  },
  {
    title: "Bulk automation",
    text: `Generate up to ${KEYWORDS_MAX} pins at once, one to four for each keyword. Each becomes a draft tagged with its keyword.`,
    image: <StackImage />,
  },
  {
    title: "Smart scheduling",
    text: "Select the drafts you like, set an interval, and see when each pin will be published before you confirm.",
    image: <ScheduleImage />,
  },
  {
    title: "Performance analytics",
    text: "Impressions, saves, and outbound clicks from Pinterest, next to each pin and the keyword behind it.",
    image: <ChartImage />,
  },
];

/** The four pitches of the landing page. */
export function Pitches() {
  return (
    <section id="pitches" className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="pitches-title">
      <h2 id="pitches-title" className="sr-only">
        What you can do
      </h2>
      <div className="grid grid-cols-[1fr_1fr] border-t border-line-2 max-lg:grid-cols-[1fr]">
        {PITCHES.map(({ title, text, image }) => (
          <article
            key={title}
            className={cn(
              "grid grid-rows-[auto_1fr] gap-7.5 min-w-0 pt-11 pb-14 px-0 border-b border-line-2",
              "odd:pr-14 odd:border-r odd:border-line-2 even:pl-14",
              "max-lg:[&:nth-child(n)]:pt-8 max-lg:[&:nth-child(n)]:pb-10 max-lg:[&:nth-child(n)]:px-0",
              "max-lg:[&:nth-child(n)]:border-r-0",
              "[&_h3]:mb-2.5 [&_h3]:font-display [&_h3]:text-[2.125rem]/[1.08] [&_h3]:font-[380]",
              "[&_h3]:tracking-[-0.026em] max-md:[&_h3]:text-[1.75rem]",
            )}
          >
            <div>
              <h3>{title}</h3>
              <p className="max-w-[46ch] text-pretty text-ink-2">{text}</p>
            </div>
            <div className="relative self-end h-63 max-md:h-58" aria-hidden="true">
              {image}
            </div>
          </article>
        ))}
      </div>
    </section>
  );
}
