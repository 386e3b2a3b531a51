import type { ReactNode } from "react";
import { CLAIMS, COMING } from "#components/site/claims.ts";
import { AnalyticsPicture, BoardsPicture, CreatorPicture, ManualPicture } from "#components/site/feature-pictures.tsx";
import type { ProductFacts } from "#components/site/product-facts.ts";
import { Chip } from "#components/ui/chip.tsx";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";

type Feature = {
  id: string;
  title: string;
  words: string;
  facts: readonly string[];
  picture: ReactNode;
  isComing?: boolean;
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
  words: CLAIMS.analytics
    ? "Impressions, saves and clicks of the pins you published, next to the keyword they came from, so that you see which subjects earn their place."
    : "Impressions, saves and clicks, next to the keyword each pin came from. We are building it; today Pinterest’s own page of a pin, one click away, shows its figures.",
  facts: CLAIMS.analytics
    ? ["Pinterest’s own figures, read for your account only", "By pin, by board and by keyword"]
    : ["Today: boards, pins, followers and monthly views of each account, live"],
  picture: <AnalyticsPicture />,
  isComing: !CLAIMS.analytics,
};

/** The four main features (R-FEAT-01, A-83); what is not there yet says so. */
export function MainFeatures({ product }: { product: ProductFacts }) {
  return [creator(product), boards, manual, analytics].map(({ id, title, words, facts, picture, isComing }) => (
    <section key={id} className="feature" aria-labelledby={id}>
      <div>
        {isComing && (
          <Chip tone="draft" className="mb-4">
            {COMING}
          </Chip>
        )}
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
