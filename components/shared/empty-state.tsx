import type { CSSProperties, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Tack } from "./pin.tsx";

type EmptyStateProps = {
  title: string;
  children?: ReactNode;
  /** One clear next step, such as a button. */
  action?: ReactNode;
  className?: string;
};

const ON_CARD = { "--tack-ground": "var(--surface)" } as CSSProperties;

/** Shown when a list is empty: a pin outline, one sentence and one action. */
export function EmptyState({ title, children, action, className }: EmptyStateProps) {
  return (
    <div
      className={cn(
        "rounded-card bg-surface shadow-card grid justify-items-center gap-3 px-5 pt-13 pb-11 text-center",
        className,
      )}
    >
      <span
        aria-hidden="true"
        className="relative mb-2 block aspect-[9/14] w-[84px] rounded-[10px] border-[1.5px] border-dashed border-control"
        style={ON_CARD}
      >
        <Tack state="draft" />
      </span>
      <h2 className="title-3">{title}</h2>
      {children && <p className="max-w-[44ch] text-balance text-sm text-ink-3">{children}</p>}
      {action}
    </div>
  );
}
