import type { ReactNode } from "react";

type PartProps = {
  headingId: string;
  title: string;
  note?: ReactNode;
  /** Beside the title. */
  aside?: ReactNode;
  children: ReactNode;
};

/** A part of the Analytics screen under its heading. */
export function Part({ headingId, title, note, aside, children }: PartProps) {
  return (
    <section
      data-slot="part"
      className="grid gap-[18px] [[data-slot=part]+&]:mt-16 max-md:[[data-slot=part]+&]:mt-12"
      aria-labelledby={headingId}
    >
      <div className="flex flex-wrap items-end justify-between gap-x-5 gap-y-3">
        {/* What stands beside the words moves below them only where they would become a narrow column. */}
        <div className="flex-[1_1_18rem]">
          <h2 id={headingId} tabIndex={-1} className="title-2">
            {title}
          </h2>
          {note && <p className="mt-1 max-w-[62ch] text-sm/[1.5] text-pretty text-ink-3 num">{note}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}
