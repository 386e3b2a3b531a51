import type { ReactNode } from "react";
import { FiguresPicture, KeywordPicture, SchedulePicture, StackPicture } from "#components/site/pitch-pictures.tsx";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";

type Pitch = { title: string; words: string; picture: ReactNode };

/** R-LAND-01 */
const PITCHES: readonly Pitch[] = [
  {
    title: "AI content creation",
    words: "Give it a keyword and, if you like, a link. Title, description and picture come back as one finished pin.",
    picture: <KeywordPicture />,
  },
  {
    title: "Bulk automation",
    words: `Up to ${KEYWORDS_MAX} keywords in one go. Each becomes a draft that remembers the keyword it came from.`,
    picture: <StackPicture />,
  },
  {
    title: "Smart scheduling",
    words: "Choose the drafts you like, set an interval, and see the hour of every pin before you agree to it.",
    picture: <SchedulePicture />,
  },
  {
    title: "Performance analytics",
    words:
      "Impressions, saves and outbound clicks, read from Pinterest and set next to the pin and the keyword it was made from.",
    picture: <FiguresPicture />,
  },
];

/** What the product does, in four. */
export function Pitches() {
  return (
    <section id="pitches" className="site-width site-section" aria-labelledby="pitches-title">
      <h2 id="pitches-title" className="sr-only">
        What it does
      </h2>
      <div className="pitches">
        {PITCHES.map(({ title, words, picture }) => (
          <article key={title} className="pitch">
            <div>
              <h3>{title}</h3>
              <p className="max-w-[46ch] text-pretty text-ink-2">{words}</p>
            </div>
            <div className="pitch-picture" aria-hidden="true">
              {picture}
            </div>
          </article>
        ))}
      </div>
    </section>
  );
}
