import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export type ChipTone = "draft" | "scheduled" | "published" | "failed" | "low" | "canceling" | "plain";

type ChipProps = { tone?: ChipTone; icon?: ReactNode; children: ReactNode; className?: string };

/** Icon and word, 24 px high. Colour never stands alone: the word says the same. */
export function Chip({ tone = "plain", icon, children, className }: ChipProps) {
  return (
    <span className={cn("chip", `chip-${tone}`, className)}>
      {icon}
      {children}
    </span>
  );
}
