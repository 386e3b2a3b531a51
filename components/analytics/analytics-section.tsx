import type { ReactNode } from "react";

type AnalyticsSectionProps = {
  headingId: string;
  title: string;
  note?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
};

export function AnalyticsSection({ headingId, title, note, aside, children }: AnalyticsSectionProps) {
  return (
    <section
      data-slot="part"
      className="grid gap-[18px] [[data-slot=part]+&]:mt-16 max-md:[[data-slot=part]+&]:mt-12"
      aria-labelledby={headingId}
    >
      <div className="flex flex-wrap items-end justify-between gap-x-5 gap-y-3">
        {/* The aside wraps below the text only when the text column would get too narrow. */}
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
