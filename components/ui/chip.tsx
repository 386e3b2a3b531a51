import { cva } from "class-variance-authority";
import type { ReactNode } from "react";

const TONES = {
  draft: "border-dashed border-draft-line bg-draft-tint text-draft-ink",
  scheduled: "border-scheduled-line bg-scheduled-tint text-scheduled-ink",
  published: "border-published-line bg-published-tint text-published-ink",
  failed: "border-failed-line bg-failed-tint text-failed-ink",
  low: "border-low-line bg-low-tint text-low-ink",
  canceling: "border-canceling-line bg-canceling-tint text-canceling-ink",
  plain: "border-line bg-well text-ink-2",
};

export type ChipTone = keyof typeof TONES;

const chip = cva(
  [
    "inline-flex h-6 items-center gap-[5px] rounded-tag border pr-2 pl-[7px]",
    "font-sans text-micro/none font-semibold tracking-[0.002em] whitespace-nowrap",
    "[&>svg]:size-[13px] [&>svg]:stroke-[2.2]",
  ],
  { variants: { tone: TONES } },
);

type ChipProps = { tone?: ChipTone; icon?: ReactNode; children: ReactNode; className?: string };

/** Icon and label, 24 px high. Color is never the only signal. */
export function Chip({ tone = "plain", icon, children, className }: ChipProps) {
  return (
    <span data-slot="chip" data-tone={tone} className={chip({ tone, className })}>
      {icon}
      {children}
    </span>
  );
}
