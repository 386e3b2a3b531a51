import type { ReactNode } from "react";
import { ChoosePicture, KeywordPicture, SchedulePicture, StackPicture } from "#components/site/pitch-pictures.tsx";

type Pitch = { title: string; words: string; picture: ReactNode };

const PITCHES: readonly Pitch[] = [
  {
    title: "AI content creation",
    words: "Give it a keyword and, if you like, a link. Title, description and picture come back as one finished pin.",
    picture: <KeywordPicture />,
  },
  {
    title: "Bulk automation",
    words: "A hundred keywords in one go. Each becomes a draft that remembers the keyword it came from.",
    picture: <StackPicture />,
  },
  {
    title: "Nothing goes up unseen",
    words: "Every pin is a draft until you choose it. The number you give it is its place in the order.",
    picture: <ChoosePicture />,
  },
  {
    title: "Smart scheduling",
    words: "Choose the drafts you like, set an interval, and see the hour of every pin before you agree to it.",
    picture: <SchedulePicture />,
  },
];

/** What the product does, in four. */
export function Pitches() {
  return (
    <section className="site-width site-section" aria-label="What it does">
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
