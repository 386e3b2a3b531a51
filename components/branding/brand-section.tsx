import type { ReactNode } from "react";

export function BrandSection({ headingId, children }: { headingId: string; children: ReactNode }) {
  return (
    <section
      className="rounded-card bg-surface shadow-card grid gap-4 px-6 pt-5.5 pb-6 max-md:px-4 max-md:pt-4.5 max-md:pb-5"
      aria-labelledby={headingId}
    >
      {children}
    </section>
  );
}
