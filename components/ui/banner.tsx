import { cva } from "class-variance-authority";
import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode, Ref } from "react";

const TONES = {
  failed: "border-failed-line bg-failed-tint text-failed-ink",
  low: "border-low-line bg-low-tint text-low-ink",
  success: "border-published-line bg-published-tint text-published-ink",
  plain: "border-line-2 bg-surface text-ink-2",
};

export type BannerTone = keyof typeof TONES;

const ICONS = { failed: TriangleAlert, low: TriangleAlert, success: CircleCheck, plain: Info } as const;

const banner = cva(
  [
    "flex flex-wrap gap-2.5 rounded-[10px] border px-3.5 py-[11px] text-sm/[1.45]",
    "[&>svg]:mt-px [&>svg]:size-[17px] [&>svg]:flex-none",
  ],
  // A button is taller than a line of text.
  { variants: { tone: TONES, hasAction: { true: "items-center", false: "items-start" } } },
);

type BannerProps = {
  tone?: BannerTone;
  children: ReactNode;
  /** A small button or link at the right end. */
  action?: ReactNode;
  /** Announced by screen readers when it appears. Leave it off for banners in the first paint. */
  isAnnounced?: boolean;
  className?: string;
  /** Makes the banner focusable. */
  focusRef?: Ref<HTMLDivElement>;
};

/** A message within the page: icon, sentence, and what to do about it. */
export function Banner({ tone = "plain", children, action, isAnnounced = false, className, focusRef }: BannerProps) {
  const Icon = ICONS[tone];
  const role = tone === "failed" ? "alert" : "status";
  return (
    <div
      ref={focusRef}
      tabIndex={focusRef ? -1 : undefined}
      role={isAnnounced ? role : undefined}
      data-slot="banner"
      data-tone={tone}
      className={banner({ tone, hasAction: Boolean(action), className })}
    >
      <Icon aria-hidden="true" strokeWidth={1.8} />
      <div className="min-w-0 flex-[1_1_11rem] wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}
