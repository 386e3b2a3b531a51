import type { ReactNode } from "react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";

/** An address that opens the visitor's mail program. */
export function MailLink({ address }: { address: string }) {
  return (
    <a className="link" href={`mailto:${address}`}>
      {address}
    </a>
  );
}

export type DocumentSection = {
  /** Where the table of contents, and links from elsewhere, lead to. */
  id: string;
  title: string;
  body: ReactNode;
};

type DocumentPageProps = { title: string; lead: ReactNode; note?: ReactNode; sections: readonly DocumentSection[] };

/** A long text to read: title, a table of contents beside it where there is room, and sections with addresses. */
export function DocumentPage({ title, lead, note, sections }: DocumentPageProps) {
  return (
    <article className="site-width document">
      <PreloadFonts names={["newsreader-display"]} />
      <header className="document-head">
        <h1 className="display text-d2">{title}</h1>
        <p className="lead mt-6 max-w-[52ch]">{lead}</p>
        {note && <p className="mt-4 text-sm text-ink-3">{note}</p>}
      </header>
      <nav className="document-contents" aria-labelledby="contents-title">
        <h2 id="contents-title">On this page</h2>
        <ol>
          {sections.map(({ id, title: words }) => (
            <li key={id}>
              <a href={`#${id}`}>{words}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="document-sections">
        {sections.map(({ id, title: words, body }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id} className="title-2">
              {words}
            </h2>
            <div className="prose">{body}</div>
          </section>
        ))}
      </div>
    </article>
  );
}
