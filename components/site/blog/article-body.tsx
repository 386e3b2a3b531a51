import Link from "next/link";
import type { ReactNode } from "react";
import Markdown, { type Components, defaultUrlTransform, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { ScreenPicture } from "#components/site/landing.tsx";
import { slugOf } from "#lib/core/text.ts";
import { DisclosureFigure, KeywordLadder, PinShapes, SpacingFigure } from "./figures.tsx";

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
function ArticleFigure({ name, caption }: { name: string; caption: string }) {
  const figure = FIGURES[name];
  if (!figure) throw new Error(`No figure is called "${name}".`);
  return (
    <figure className="article-figure">
      {figure}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

/** An image of an article names a drawing of ours (`figure:pin-shapes`), and its alternative text is the caption. */
const FIGURE = /^figure:([a-z-]+)$/;

const textOf = (children: ReactNode): string => (Array.isArray(children) ? children.join("") : String(children ?? ""));

const isFigureAlone = (node: ExtraProps["node"]): boolean => {
  const [only, ...others] = node?.children ?? [];
  return others.length === 0 && only?.type === "element" && only.tagName === "img";
};

const COMPONENTS: Components = {
  h2: ({ children }) => <h2 id={slugOf(textOf(children))}>{children}</h2>,
  p: ({ node, children }) => (isFigureAlone(node) ? children : <p>{children}</p>),
  a: ({ href = "", children }) =>
    href.startsWith("/") ? (
      <Link className="link" href={href}>
        {children}
      </Link>
    ) : (
      <a className="link" href={href} rel="noopener">
        {children}
      </a>
    ),
  img: ({ src, alt = "" }) => <ArticleFigure name={FIGURE.exec(String(src))?.[1] ?? ""} caption={alt} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key
    <section className="article-table" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
};

/** The text of an article as HTML. Markup written into the Markdown is shown as text, never run. */
export function ArticleBody({ children }: { children: string }) {
  return (
    <div className="article-body">
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={COMPONENTS}
        urlTransform={(url) => (FIGURE.test(url) ? url : defaultUrlTransform(url))}
      >
        {children}
      </Markdown>
    </div>
  );
}
