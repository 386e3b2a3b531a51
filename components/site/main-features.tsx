import Lock from "lucide-react/icons/lock";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { Board, Pin, PinOutline, Tack } from "#components/shared/pin.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { BULK_MAX } from "#lib/features/pins/constants.ts";
import { PosterImage } from "./poster-boards.tsx";
import type { ProductFacts } from "./structured-data.tsx";

const featureBoardClass = cn(
  "flex gap-[clamp(12px,2vw,24px)] items-center justify-center min-h-[clamp(250px,27vw,360px)] pt-11",
  "pb-9 px-[clamp(18px,3vw,40px)]",
);

const MADE = [
  { keyword: "winter herbs", poster: "herbs" },
  { keyword: "winter baking", poster: "bread" },
  { keyword: "which Christmas tree to buy", poster: "fir" },
] as const;

/** A list of keywords and the drafts made from it. */
function CreatorImage() {
  return (
    <Board className={cn(featureBoardClass, "max-sm:flex-wrap")}>
      <span
        className={cn(
          "relative grid pt-7.5 pb-5 px-5 rounded-[3px] bg-surface shadow-(--shadow-pin-flat)",
          "rotate-[-1.6deg] mr-1.5 max-sm:flex-[0_0_78%] max-sm:m-0",
        )}
      >
        <Tack state="dark" />
        {MADE.map(({ keyword }) => (
          <span
            key={keyword}
            className="border-b border-line pt-[7px] pb-1.5 font-display text-[1.0625rem]/[1.15] font-[420] tracking-[-0.012em] last:border-b-0"
          >
            {keyword}
          </span>
        ))}
      </span>
      {MADE.map(({ poster }) => (
        <span key={poster} className="min-w-0 flex-[0_1_132px] odd:[translate:0_14px] max-sm:basis-[26%]">
          <Pin state="draft" size="sm">
            <PosterImage name={poster} alt="" widthPx={132} />
          </Pin>
        </span>
      ))}
    </Board>
  );
}

const BOARDS = [
  { name: "Winter kitchen", text: "Bread, soups, slow Sundays", isSecret: false },
  { name: "Balcony garden", text: "Small spaces, herbs, pots", isSecret: false },
  { name: "Cabin weekends", text: "Packing lists and routes", isSecret: false },
  { name: "Spring launch", text: "Hidden until March", isSecret: true },
] as const;

/** Four boards as shown in the Board Manager. */
function BoardsImage() {
  return (
    <span
      className={cn(
        "rounded-card bg-surface shadow-card grid py-2.5 px-6.5",
        "[&>span]:grid [&>span]:grid-cols-[minmax(0,1fr)_auto] [&>span]:gap-y-0.5 [&>span]:gap-x-4",
        "[&>span]:items-center [&>span]:py-[17px] [&>span]:px-0 [&>span]:border-t [&>span]:border-line",
        "[&>span:first-child]:border-0",
        "[&_b]:font-display [&_b]:text-[1.125rem]/[1.25] [&_b]:font-[450] [&_b]:tracking-[-0.012em]",
        "[&_i]:row-start-2 [&_i]:text-sm [&_i]:not-italic [&_i]:text-ink-2",
      )}
    >
      {BOARDS.map(({ name, text, isSecret }) => (
        <span key={name}>
          <b>{name}</b>
          <i>{text}</i>
          <Chip className="[grid-area:1/2/span_2]" icon={isSecret ? <Lock /> : undefined}>
            {isSecret ? "Secret" : "Public"}
          </Chip>
        </span>
      ))}
    </span>
  );
}

const SLOTS = ["a", "b", "c", "d"];

/** Empty slots for uploaded images. */
function ManualImage() {
  return (
    <Board className={cn(featureBoardClass, "[&_svg]:size-5 [&_svg]:text-ink-3")}>
      {SLOTS.map((slot) => (
        <span key={slot} className="min-w-0 flex-[0_1_132px]">
          <Pin state="draft" size="sm">
            <PinOutline>
              <Plus />
            </PinOutline>
          </Pin>
        </span>
      ))}
    </Board>
  );
}

const METRICS = ["Impressions", "Saves", "Pin clicks", "Outbound clicks"];

/** The metrics from Pinterest, without made-up numbers. */
function AnalyticsImage() {
  return (
    <Board className={featureBoardClass}>
      <span className="z-1 min-w-0 flex-[0_1_132px]">
        <Pin state="published" size="sm">
          <PosterImage name="wreath" alt="" widthPx={132} />
        </Pin>
      </span>
      <span
        className={cn(
          "relative grid rounded-[3px] bg-surface shadow-(--shadow-pin-flat) flex-auto max-w-70 -ml-8.5",
          "pt-4 pb-3 pr-5.5 pl-12 text-sm text-ink-2",
          "[&>span]:flex [&>span]:gap-4 [&>span]:items-center [&>span]:justify-between [&>span]:py-[9px]",
          "[&>span]:px-0 [&>span]:border-t [&>span]:border-line [&>span:first-child]:border-0",
          "[&_i]:w-11 [&_i]:h-4 [&_i]:rounded-[4px] [&_i]:border-[1.5px] [&_i]:border-dashed",
          "[&_i]:border-line-2",
        )}
      >
        {METRICS.map((metric) => (
          <span key={metric}>
            {metric}
            <i />
          </span>
        ))}
      </span>
    </Board>
  );
}

type Feature = {
  id: string;
  title: string;
  text: string;
  facts: readonly string[];
  image: ReactNode;
};

const creator = ({ creatorLabel }: ProductFacts): Feature => ({
  id: "creator",
  title: creatorLabel,
  text: "Enter a keyword, with a link if you have one. You get a draft with a title, a description, alt text, and an image.",
  facts: [
    `Up to ${KEYWORDS_MAX} pins at once: one to four for each keyword`,
    `${COST_CREDITS.high} credits for a high-quality pin, ${COST_CREDITS.standard} for a standard pin; failed pins are free`,
    "Watch every stage, see the time remaining, and cancel pins that haven’t started",
  ],
  image: <CreatorImage />,
});

const boards: Feature = {
  id: "board-manager",
  title: "Board Manager",
  text: "Every board on every connected account, with its name, description, and privacy setting, just as it appears on Pinterest.",
  facts: [
    "Loaded live from Pinterest, never more than a minute old, and never stored",
    "Secret boards show a lock, and you can pin to them like any other",
    "All of your boards, no matter how many you have",
  ],
  image: <BoardsImage />,
};

const manual: Feature = {
  id: "manual-pin-creation",
  title: "Manual Pin Creation",
  text: `Upload your own images, up to ${BULK_MAX} at a time. Add titles, descriptions, and a board, and they become drafts next to your generated pins.`,
  facts: ["Costs no credits", "Images are never cropped", "Schedule and publish them like any other pin"],
  image: <ManualImage />,
};

const analytics: Feature = {
  id: "advanced-analytics",
  title: "Advanced Analytics",
  text: "Impressions, saves, and clicks for your published pins, next to the keyword behind each one, so you can see which topics work.",
  facts: [
    "By keyword, board, weekday, hour, image type, template, and link",
    "Ranked by confidence: anything with too little data says “too early to tell”",
    "Pinterest’s own numbers for the last 90 days, kept for a day at most, with CSV and image export",
  ],
  image: <AnalyticsImage />,
};

/** The four main features. */
export function MainFeatures({ product }: { product: ProductFacts }) {
  return [creator(product), boards, manual, analytics].map(({ id, title, text, facts, image }) => (
    <section
      key={id}
      className={cn(
        "group",
        "grid grid-cols-[minmax(0,1fr)_minmax(0,1.12fr)] gap-y-8 gap-x-[clamp(40px,7vw,112px)]",
        "items-center py-[clamp(40px,5vw,72px)] border-t border-line-2 last:border-b last:border-line-2",
        "even:grid-cols-[minmax(0,1.12fr)_minmax(0,1fr)] max-lg:[&:nth-child(n)]:grid-cols-1",
      )}
      aria-labelledby={id}
    >
      <div>
        <h2 id={id} className="display text-d3">
          {title}
        </h2>
        <p className="lead mt-5">{text}</p>
        <ul
          className={cn(
            "grid gap-[9px] mt-5.5 text-ui/[1.45] text-ink-2 [&>li]:relative [&>li]:pl-5",
            "[&>li]:before:size-[7px] [&>li]:before:absolute [&>li]:before:left-0.5 [&>li]:before:top-[0.5em]",
            "[&>li]:before:rounded-full [&>li]:before:bg-accent-ink",
          )}
        >
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </div>
      <div className="group-even:-order-1 max-lg:group-[:nth-child(n)]:order-1" aria-hidden="true">
        {image}
      </div>
    </section>
  ));
}
