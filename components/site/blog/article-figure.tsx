import type { ReactNode } from "react";
import { DisclosureFigure } from "#components/site/blog/disclosure-figure.tsx";
import { KeywordLadder } from "#components/site/blog/keyword-ladder.tsx";
import { PinShapes } from "#components/site/blog/pin-shapes.tsx";
import { SpacingFigure } from "#components/site/blog/spacing-figure.tsx";
import { ScreenPicture } from "#components/site/screen-picture.tsx";

const FIGURES: Record<string, ReactNode> = {
  "pin-shapes": <PinShapes />,
  "keyword-ladder": <KeywordLadder />,
  spacing: <SpacingFigure />,
  disclosure: <DisclosureFigure />,
  "posts-screen": (
    <ScreenPicture
      name="posts"
      alt="A wall of drafts with five of them chosen, and a bar that shows the hour of each before anything is scheduled."
      sizes="(min-width: 768px) 680px, 92vw"
    />
  ),
};

/**
 * A drawing of ours within an article, with its caption.
 * @throws Error for a name that no drawing has: the build stops rather than show a gap
 */
export function ArticleFigure({ name, caption }: { name: string; caption: string }) {
  const figure = FIGURES[name];
  if (!figure) throw new Error(`No figure is called "${name}".`);
  return (
    <figure className="article-figure">
      {figure}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
