import type { ReactNode } from "react";

type PageHeaderProps = { title: string; children?: ReactNode; action?: ReactNode };

/** A screen's title, one sentence about it, and at most one action. */
export function PageHeader({ title, children, action }: PageHeaderProps) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-6 mb-7 max-md:gap-4 max-md:mb-5">
      <div>
        <h1 className="screen-title">{title}</h1>
        {children && <p className="mt-2 max-w-[58ch] text-pretty text-ink-3">{children}</p>}
      </div>
      {action}
    </div>
  );
}
