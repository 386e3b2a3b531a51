import type { ReactNode } from "react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Prose } from "#components/site/page-parts.tsx";
import { cn } from "#components/ui/cn.ts";

/** A link that opens the visitor's email app. */
export function EmailLink({ address }: { address: string }) {
  return (
    <a className="link" href={`mailto:${address}`}>
      {address}
    </a>
  );
}

export type DocumentSection = {
  /** Anchor of the section. */
  id: string;
  title: string;
  body: ReactNode;
};

type DocumentPageProps = { title: string; lead: ReactNode; note?: ReactNode; sections: readonly DocumentSection[] };

/** A long document with title, table of contents and sections. */
export function DocumentPage({ title, lead, note, sections }: DocumentPageProps) {
  return (
    <article
      className={cn(
        "site-width grid",
        "grid-cols-[minmax(0,62ch)_minmax(220px,320px)] gap-y-0 gap-x-[clamp(40px,6vw,104px)]",
        "justify-between pt-[clamp(36px,5.2vw,76px)] pb-[clamp(56px,7vw,104px)] max-lg:grid-cols-1",
      )}
    >
      <PreloadFonts names={["newsreader-display"]} />
      <header className="col-span-full pb-[clamp(36px,4.6vw,60px)]">
        <h1 className="display text-d2">{title}</h1>
        <p className="lead mt-6 max-w-[52ch]">{lead}</p>
        {note && <p className="mt-4 text-sm text-ink-3">{note}</p>}
      </header>
      <nav
        className={cn(
          "col-start-2 row-start-2 self-start sticky top-6 max-h-[calc(100dvh_-_48px)] overflow-y-auto",
          "text-sm/[1.4] max-lg:hidden [&_h2]:mb-2.5 [&_h2]:font-semibold [&_li]:border-t",
          "[&_li]:border-line [&_a]:block [&_a]:py-2 [&_a]:px-0 [&_a]:text-ink-2",
          "[&_a:hover]:text-ink [&_a:hover]:underline [&_a:hover]:underline-offset-3",
        )}
        aria-labelledby="contents-title"
      >
        <h2 id="contents-title">On this page</h2>
        <ol>
          {sections.map(({ id, title: heading }) => (
            <li key={id}>
              <a href={`#${id}`}>{heading}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="col-start-1 row-start-2 grid gap-13 min-w-0 [&_:is(h2,_h3)]:scroll-mt-6">
        {sections.map(({ id, title: heading, body }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id} className="title-2">
              {heading}
            </h2>
            <Prose>{body}</Prose>
          </section>
        ))}
      </div>
    </article>
  );
}
