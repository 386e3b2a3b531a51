import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode, Ref } from "react";
import { cn } from "#components/ui/cn.ts";

export type BannerTone = "failed" | "low" | "success" | "plain";

const ICONS = { failed: TriangleAlert, low: TriangleAlert, success: CircleCheck, plain: Info } as const;

type BannerProps = {
  tone?: BannerTone;
  children: ReactNode;
  /** A small button or link at the right end. */
  action?: ReactNode;
  /** Read out when it appears. Leave it off for what was there from the first paint. */
  isAnnounced?: boolean;
  className?: string;
  /** Lets the page give the focus to it. */
  focusRef?: Ref<HTMLDivElement>;
};

/** One line of news inside the page: icon, sentence, at most one action. */
export function Banner({ tone = "plain", children, action, isAnnounced = false, className, focusRef }: BannerProps) {
  const Icon = ICONS[tone];
  const role = tone === "failed" ? "alert" : "status";
  return (
    <div
      ref={focusRef}
      tabIndex={focusRef ? -1 : undefined}
      role={isAnnounced ? role : undefined}
      className={cn("banner", `banner-${tone}`, className)}
    >
      <Icon aria-hidden="true" strokeWidth={1.8} />
      <div className="min-w-0 flex-[1_1_11rem] wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}
