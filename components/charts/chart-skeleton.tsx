import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";

export const CHART = "h-70 px-3 [&_:focus]:outline-none";
/** The account chart is larger. */
export const DAYS_CHART = "h-75 px-2 pt-4 max-md:h-60 [&_:focus]:outline-none";

/** Shown while the chart's code or data is loading. */
export function ChartSkeleton({ className = CHART }: { className?: string }) {
  return (
    <div data-slot="chart-skeleton" className={cn(className)} aria-hidden="true">
      <Skeleton className="size-full" />
    </div>
  );
}
