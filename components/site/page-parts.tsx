import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type Children = { children: ReactNode };

/** The head of a section: title on the left, one sentence on the right. */
export function SectionHeader({ children }: Children) {
  return (
    <div
      className={cn(
        "mb-[clamp(36px,4.6vw,68px)] grid grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)] items-end gap-10",
        "max-lg:grid-cols-[1fr] max-lg:gap-[18px]",
      )}
    >
      {children}
    </div>
  );
}

/** The head of a page: title on the left, one sentence on the right. */
export function WideHead({ title, children }: Children & { title: ReactNode }) {
  return (
    <div
      className={cn(
        "site-width grid grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)] items-end gap-x-14 gap-y-5",
        "pt-[clamp(36px,5.2vw,76px)] pb-[clamp(36px,4.6vw,66px)] max-lg:grid-cols-1",
      )}
    >
      <h1 className="display text-d2">{title}</h1>
      <p className="lead max-w-[44ch] pb-1.5">{children}</p>
    </div>
  );
}

/** Body text with a comfortable line length. */
export function Prose({ children }: Children) {
  return (
    <div
      className={cn(
        "mt-4 grid max-w-[62ch] gap-4 leading-[1.625] text-pretty *:min-w-0",
        "[&>h2:not(:first-child)]:mt-7 [&>h3]:mt-2.5 [&>h3]:-mb-2 [&>h3]:text-ui [&>h3]:font-semibold",
        "[&_b]:font-semibold [&_code]:font-mono [&_code]:text-[0.8125rem]/[1.5] [&_code]:font-normal [&_code]:wrap-anywhere",
        "[&_:is(ul,ol)]:grid [&_:is(ul,ol)]:gap-2 [&_:is(ul,ol)]:pl-5.5 [&_ul]:list-disc [&_ol]:list-decimal",
        "[&_li]:marker:text-ink-3",
      )}
    >
      {children}
    </div>
  );
}

/** A list of terms and descriptions. `isWordy` gives the descriptions twice the width. */
export function DefinitionList({ isWordy = false, className, ...rest }: ComponentProps<"dl"> & { isWordy?: boolean }) {
  return (
    <dl
      {...rest}
      className={cn(
        "border-b border-line [&>div]:grid [&>div]:gap-x-6 [&>div]:gap-y-0.5 [&>div]:border-t [&>div]:border-line",
        "[&>div]:py-[11px] [&_dt]:font-[550] [&_dd]:text-ink-2 max-sm:[&>div]:grid-cols-1",
        isWordy
          ? "[&>div]:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]"
          : "[&>div]:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]",
        className,
      )}
    />
  );
}

/** A table of text or prices. With `isNumeric`, all columns but the first are numbers. */
export function ContentTable({ isNumeric = false, ...rest }: ComponentProps<"table"> & { isNumeric?: boolean }) {
  return (
    <table
      {...rest}
      className={cn(
        "w-full border-collapse text-ui/[1.45] [&_:is(th,td)]:border-b [&_:is(th,td)]:border-line",
        "[&_:is(th,td)]:py-3 [&_:is(th,td)]:align-top [&_thead_th]:text-xs [&_thead_th]:font-medium",
        "[&_thead_th]:text-ink-3 [&_tbody_th]:font-[550] [&_code]:whitespace-nowrap",
        isNumeric
          ? cn(
              "num max-sm:text-xs [&_:is(th,td):first-child]:text-left [&_:is(th,td):not(:first-child)]:text-right",
              "[&_:is(th,td):not(:last-child)]:pr-5 max-sm:[&_:is(th,td):not(:last-child)]:pr-1.5",
            )
          : "min-w-135 [&_:is(th,td)]:text-left [&_:is(th,td):not(:last-child)]:pr-5",
      )}
    />
  );
}
