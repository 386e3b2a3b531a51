import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";

/** A table with a sticky header. Numbers are right-aligned; the first column, and cells with `data-text`, left-aligned. */
export function DataTable(props: ComponentProps<"table">) {
  return (
    <table
      {...props}
      className={cn(
        "w-full border-collapse text-sm/[1.4] num",
        "[&_:is(th,td):not([data-text])]:text-right [&_[data-text]]:text-left",
        "[&_thead_th]:sticky [&_thead_th]:top-0 [&_thead_th]:bg-surface [&_thead_th]:px-3 [&_thead_th]:py-2",
        "[&_thead_th]:text-xs [&_thead_th]:font-medium [&_thead_th]:text-ink-3",
        "[&_thead_th]:shadow-[inset_0_-1px_0_var(--line-2)]",
        "[&_tbody_:is(th,td)]:border-t [&_tbody_:is(th,td)]:border-line [&_tbody_:is(th,td)]:px-3",
        "[&_tbody_:is(th,td)]:py-2.5 [&_tbody_td]:font-normal [&_tbody_th]:font-medium",
        "[&_tr>:is(th,td):first-child]:pl-5 [&_tr>:is(th,td):first-child]:text-left",
        "[&_tr>:is(th,td):first-child]:wrap-anywhere [&_tr>:is(th,td):last-child]:pr-5",
      )}
    />
  );
}
