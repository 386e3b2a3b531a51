import { cn } from "#components/ui/cn.ts";

/** A grey place for a live read. Give it a size; wrap a group of them in an element with `aria-busy` and a name. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cn("skeleton block rounded-[4px]", className)} />;
}

/** A skeleton in the shape of a pin with its two lines below. */
export function PinSkeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={cn("block", className)}>
      <Skeleton className="aspect-[9/14] w-full rounded-[11px]" />
      <Skeleton className="mt-3 h-2.5 w-full" />
      <Skeleton className="mt-2 h-2.5 w-3/5" />
    </span>
  );
}
