import Lock from "lucide-react/icons/lock";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { Board, Pin, PinOutline, Tack } from "#components/shared/pin.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import type { ProductFacts } from "./structured-data.tsx";
import { WallPicture } from "./walls.tsx";

const MADE = [
  { keyword: "winter herbs", poster: "herbs" },
  { keyword: "winter baking", poster: "bread" },
  { keyword: "which fir to choose", poster: "fir" },
] as const;

/** A list of keywords, and the drafts it became. */
function CreatorPicture() {
  return (
    <Board className="feature-board feature-creator">
      <span className="feature-list">
        <Tack state="slip" />
        {MADE.map(({ keyword }) => (
          <span key={keyword}>{keyword}</span>
        ))}
      </span>
      {MADE.map(({ poster }) => (
        <span key={poster} className="feature-pin">
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
    <span className="card feature-boards">
      {BOARDS.map(({ name, words, isSecret }) => (
        <span key={name}>
          <b>{name}</b>
          <i>{words}</i>
          <Chip icon={isSecret ? <Lock /> : undefined}>{isSecret ? "Secret" : "Public"}</Chip>
        </span>
      ))}
    </span>
  );
}

const PLACES = ["a", "b", "c", "d"];

/** Places for own pictures: nothing hangs there yet. */
function ManualPicture() {
  return (
    <Board className="feature-board feature-empty">
      {PLACES.map((place) => (
        <span key={place} className="feature-pin">
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
    <Board className="feature-board feature-figures">
      <span className="feature-pin">
        <Pin state="published" size="sm">
          <WallPicture name="wreath" alt="" widthPx={132} />
        </Pin>
      </span>
      <span className="feature-slip">
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
    <section key={id} className="feature" aria-labelledby={id}>
      <div>
        <h2 id={id} className="display text-d3">
          {title}
        </h2>
        <p className="lead mt-5">{words}</p>
        <ul className="ticks">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </div>
      <div className="feature-picture" aria-hidden="true">
        {picture}
      </div>
    </section>
  ));
}
