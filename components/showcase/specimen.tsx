import type { ReactNode } from "react";

type SpecimensProps = { id: string; title: string; children: ReactNode };

/** A titled group of specimens. */
export function Specimens({ id, title, children }: SpecimensProps) {
  return (
    <section aria-labelledby={id} className="grid gap-6 border-t border-line py-10 md:grid-cols-[200px_minmax(0,1fr)]">
      <h2 id={id} className="title-3">
        {title}
      </h2>
      <div className="grid min-w-0 gap-8">{children}</div>
    </section>
  );
}

/** One component in one state, with its name. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-2.5">
      <div>{children}</div>
      <p className="text-xs text-ink-3">{name}</p>
    </div>
  );
}

/** Specimens in a wrapping row. */
export function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-start gap-x-8 gap-y-6">{children}</div>;
}

/** Specimens in columns, for components that fill the available width. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">{children}</div>;
}
