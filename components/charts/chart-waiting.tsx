import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";

/** The place of a chart. */
export const CHART = "h-70 px-3 [&_:focus]:outline-none";
/** The place of the chart of an account's days, which is larger. */
export const DAYS_CHART = "h-75 px-2 pt-4 max-md:h-60 [&_:focus]:outline-none";

/** A chart's place while its program or its figures are on their way. */
export function ChartWaiting({ className = CHART }: { className?: string }) {
  return (
    <div data-slot="chart-waiting" className={cn(className)} aria-hidden="true">
      <Skeleton className="size-full" />
    </div>
  );
}
