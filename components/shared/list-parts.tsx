import type { ComponentProps, ReactNode } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
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

type LoadFailedProps = { children: ReactNode; onRetry: () => void; className?: string };

/** Says that something could not be loaded, with a way to try again. */
export function LoadFailed({ children, onRetry, className }: LoadFailedProps) {
  const retry = (
    <Button size="sm" onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <Banner tone="failed" isAnnounced className={className} action={retry}>
      {children}
    </Banner>
  );
}
