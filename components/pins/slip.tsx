import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type SlipProps = { title?: ReactNode; children?: ReactNode; className?: string };

/** Facts beside a pin: its title in serif, then chip, date, keyword. */
export function Slip({ title, children, className }: SlipProps) {
  return (
    <div className={cn("slip grid justify-items-start gap-[7px] mt-[15px]", className)}>
      {title && <span className="slip-title">{title}</span>}
      {children}
    </div>
  );
}
