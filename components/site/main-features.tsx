import Lock from "lucide-react/icons/lock";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { Board, Pin, PinOutline, Tack } from "#components/shared/pin.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import type { ProductFacts } from "./structured-data.tsx";
import { WallPicture } from "./walls.tsx";

const featureBoardClass = cn(
  "flex gap-[clamp(12px,2vw,24px)] items-center justify-center min-h-[clamp(250px,27vw,360px)] pt-11",
  "pb-9 px-[clamp(18px,3vw,40px)]",
);

const MADE = [
  { keyword: "winter herbs", poster: "herbs" },
  { keyword: "winter baking", poster: "bread" },
  { keyword: "which fir to choose", poster: "fir" },
] as const;

/** A list of keywords, and the drafts it became. */
function CreatorPicture() {
  return (
    <Board className={cn(featureBoardClass, "max-sm:flex-wrap")}>
      <span
        className={cn(
          "relative grid pt-7.5 pb-5 px-5 rounded-[3px] bg-surface shadow-(--shadow-pin-flat)",
          "rotate-[-1.6deg] mr-1.5 max-sm:flex-[0_0_78%] max-sm:m-0",
        )}
      >
        <Tack state="slip" />
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
            <WallPicture name={poster} alt="" widthPx={132} />
          </Pin>
        </span>
      ))}
    </Board>
  );
}

const BOARDS = [
  { name: "Winter kitchen", words: "Bread, soups, slow Sundays", isSecret: false },
  { name: "Balcony garden", words: "Small spaces, herbs, pots", isSecret: false },
  { name: "Cabin weekends", words: "Packing lists and routes", isSecret: false },
  { name: "Spring launch", words: "Not to be seen before March", isSecret: true },
] as const;

/** Four boards as the Board Manager lists them, one of them secret. */
function BoardsPicture() {
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
      {BOARDS.map(({ name, words, isSecret }) => (
        <span key={name}>
          <b>{name}</b>
          <i>{words}</i>
          <Chip className="[grid-area:1/2/span_2]" icon={isSecret ? <Lock /> : undefined}>
            {isSecret ? "Secret" : "Public"}
          </Chip>
        </span>
      ))}
    </span>
  );
}

const PLACES = ["a", "b", "c", "d"];

/** Places for own pictures: nothing hangs there yet. */
function ManualPicture() {
  return (
    <Board className={cn(featureBoardClass, "[&_svg]:size-5 [&_svg]:text-ink-3")}>
      {PLACES.map((place) => (
        <span key={place} className="min-w-0 flex-[0_1_132px]">
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

const FIGURES = ["Impressions", "Saves", "Pin clicks", "Outbound clicks"];

/** The figures that Pinterest gives, without any number made up. */
function AnalyticsPicture() {
  return (
    <Board className={featureBoardClass}>
      <span className="z-1 min-w-0 flex-[0_1_132px]">
        <Pin state="published" size="sm">
          <WallPicture name="wreath" alt="" widthPx={132} />
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
        {FIGURES.map((figure) => (
          <span key={figure}>
            {figure}
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
  words: string;
  facts: readonly string[];
  picture: ReactNode;
};

const creator = ({ creatorLabel }: ProductFacts): Feature => ({
  id: "creator",
  title: creatorLabel,
  words:
    "A keyword goes in, with a link if you have one. A title, a description, a text for those who cannot see the picture, and the picture itself come back as one draft.",
  facts: [
    `Up to ${KEYWORDS_MAX} keywords at once, one pin for each`,
    `High quality for ${COST_CREDITS.high} credits, standard for ${COST_CREDITS.standard}; failed pins cost nothing`,
    "You watch every stage, with the time remaining, and can cancel what has not begun",
  ],
  picture: <CreatorPicture />,
});

const boards: Feature = {
  id: "board-manager",
  title: "Board Manager",
  words: "All boards of each connected account, with name, description and privacy, as Pinterest has them now.",
  facts: [
    "Read live from Pinterest, at most a minute old, never stored",
    "Secret boards carry a lock, and can be pinned to like the others",
    "All of them, however many pages Pinterest needs to list them",
  ],
  picture: <BoardsPicture />,
};

const manual: Feature = {
  id: "manual-pin-creation",
  title: "Manual Pin Creation",
  words:
    "Your own pictures, many at a time: give each a title and a description, choose a board, and they become drafts beside the generated ones.",
  facts: ["Costs no credits", "Pictures are never cropped", "Scheduled and published like every other pin"],
  picture: <ManualPicture />,
};

const analytics: Feature = {
  id: "advanced-analytics",
  title: "Advanced Analytics",
  words:
    "Impressions, saves and clicks of the pins you published, next to the keyword they came from, so that you see which subjects earn their place.",
  facts: [
    "By keyword, board, weekday, hour, kind of picture, template and link",
    "Ranked by what is sure: what has been seen too seldom says “too early to tell”",
    "Pinterest’s own figures of the last 90 days, kept for a day at most; as CSV and as pictures",
  ],
  picture: <AnalyticsPicture />,
};

/** The four main features (R-FEAT-01, A-83). */
export function MainFeatures({ product }: { product: ProductFacts }) {
  return [creator(product), boards, manual, analytics].map(({ id, title, words, facts, picture }) => (
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
        <p className="lead mt-5">{words}</p>
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
        {picture}
      </div>
    </section>
  ));
}
