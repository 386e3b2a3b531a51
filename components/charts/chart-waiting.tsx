import { Skeleton } from "#components/ui/skeleton.tsx";

/** A chart's place while its program or its figures are on their way; `className` gives it a height of its own. */
export function ChartWaiting({ className = "" }: { className?: string }) {
  return (
    <div className={`chart ${className}`} aria-hidden="true">
      <Skeleton className="size-full" />
    </div>
  );
}
