import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";

/** The row with search, filters and sort order above a list. */
export function SearchRow({ className, ...rest }: ComponentProps<"search">) {
  return (
    <search
      {...rest}
      className={cn("mb-5.5 flex flex-wrap items-end gap-x-3 gap-y-2.5 max-md:[&_input]:min-h-11", className)}
    />
  );
}

/** The footer of a list, with the number of items shown and a way to load more. */
export function ListFooter(props: ComponentProps<"div">) {
  return (
    <div
      {...props}
      className={cn(
        "mt-5.5 flex min-h-11 flex-wrap items-center justify-center gap-x-4.5 gap-y-2.5 text-sm text-ink-3",
        "max-md:[&_button]:min-h-11",
      )}
    />
  );
}
