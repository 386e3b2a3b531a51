import Link from "next/link";
import type { ReactNode } from "react";
import Markdown, { type Components, defaultUrlTransform, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { ScreenImage } from "#components/site/landing.tsx";
import { cn } from "#components/ui/cn.ts";
import { slugOf } from "#lib/core/text.ts";
import { DisclosureFigure, KeywordLadder, PinShapes, SpacingFigure } from "./figures.tsx";

const FIGURES: Record<string, ReactNode> = {
  "pin-shapes": <PinShapes />,
  "keyword-ladder": <KeywordLadder />,
  spacing: <SpacingFigure />,
  disclosure: <DisclosureFigure />,
  "posts-screen": (
    <ScreenImage
      name="posts"
      alt="A grid of drafts with five of them selected, and a bar that shows when each one will be published before anything is scheduled."
      sizes="(min-width: 768px) 680px, 92vw"
    />
  ),
};

/** A figure in an article, with its caption. @throws Error for an unknown name, which fails the build */
function ArticleFigure({ name, caption }: { name: string; caption: string }) {
  const figure = FIGURES[name];
  if (!figure) throw new Error(`No figure is called "${name}".`);
  return (
    <figure
      className={cn(
        "my-[2em] mx-0",
        "[&>figcaption]:mt-4 [&>figcaption]:max-w-[56ch] [&>figcaption]:text-sm/[1.5]",
        "[&>figcaption]:text-ink-3",
      )}
    >
      {figure}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

/** A Markdown image with `figure:pin-shapes` shows one of our figures; its alt text is the caption. */
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
    <section
      className={cn(
        "my-[1.5em] mx-0 overflow-x-auto",
        "[&>table]:w-full [&>table]:border-collapse [&>table]:text-ui/[1.45] [&>table]:tabular-nums",
        "[&>table]:lining-nums",
        "[&_:is(th,_td)]:py-[9px] [&_:is(th,_td)]:pr-4.5 [&_:is(th,_td)]:pl-0 [&_:is(th,_td)]:text-left",
        "[&_:is(th,_td)]:align-top [&_:is(th,_td)]:border-b [&_:is(th,_td)]:border-line",
        "[&_th]:font-medium [&_th]:text-sm [&_th]:text-ink-3",
      )}
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key
      tabIndex={0}
    >
      <table>{children}</table>
    </section>
  ),
};

/** Renders the Markdown of an article. HTML in the Markdown is shown as text. */
export function ArticleBody({ children }: { children: string }) {
  return (
    <div
      className={cn(
        "text-[1.0625rem]/[1.68]",
        "[&>:is(p,_ul,_ol)]:max-w-[62ch] [&>:is(p,_ul,_ol)]:mb-[1.15em] [&>:is(p,_ul,_ol)]:text-pretty",
        "[&>p:first-child]:text-lead/[1.6]",
        "[&>h2]:mt-[2.1em] [&>h2]:mb-[0.6em] [&>h2]:mx-0 [&>h2]:font-display [&>h2]:text-h2/[1.14]",
        "[&>h2]:font-normal [&>h2]:tracking-[-0.02em] [&>h2]:text-balance",
        "[&>h3]:mt-[1.7em] [&>h3]:mb-[0.4em] [&>h3]:mx-0 [&>h3]:font-display [&>h3]:text-h3/[1.2]",
        '[&>h3]:font-[450] [&>h3]:tracking-[-0.014em] [&>:is(ul,_ol)]:pl-[1.3em] [&>ul]:[list-style:"–_"]',
        "[&>ol]:list-decimal [&_li]:pl-[0.3em] [&>:is(ul,_ol)>li+li]:mt-[0.4em] [&_*]:marker:text-ink-3",
        "[&_code]:py-[0.1em] [&_code]:px-[0.35em] [&_code]:rounded-tag [&_code]:bg-well",
        "[&_code]:font-mono [&_code]:text-[0.875em]/[normal] [&_code]:font-normal [&_code]:wrap-anywhere",
        "[&>blockquote]:my-[1.6em] [&>blockquote]:mx-0 [&>blockquote]:pl-5.5 [&>blockquote]:italic",
        "[&>blockquote]:font-display [&>blockquote]:text-[1.3125rem]/[1.4] [&>blockquote]:font-normal",
        "[&>blockquote]:tracking-[-0.01em] [&>blockquote]:text-pretty [&>blockquote]:border-l-[1.6px]",
        "[&>blockquote]:border-thread",
      )}
    >
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
