import { cva } from "class-variance-authority";
import { cn } from "#components/ui/cn.ts";

const skeleton = cva(
  [
    "block animate-glint bg-size-[240%_100%] motion-reduce:animate-none",
    "bg-[linear-gradient(100deg,var(--skeleton)_40%,var(--skeleton-glint)_50%,var(--skeleton)_60%)]",
  ],
  {
    variants: {
      shape: { line: "rounded-[4px]", pin: "rounded-[11px]", card: "rounded-card", panel: "rounded-[18px]" },
    },
    defaultVariants: { shape: "line" },
  },
);

type SkeletonProps = { shape?: "line" | "pin" | "card" | "panel"; className?: string };

/** A loading placeholder; set its size. Wrap groups of them in a named element with `aria-busy`. */
export function Skeleton({ shape, className }: SkeletonProps) {
  return <span aria-hidden="true" className={skeleton({ shape, className })} />;
}

/** A skeleton in the shape of a pin with two lines of text. */
export function PinSkeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={cn("block", className)}>
      <Skeleton shape="pin" className="aspect-[9/14] w-full" />
      <Skeleton className="mt-3 h-2.5 w-full" />
      <Skeleton className="mt-2 h-2.5 w-3/5" />
    </span>
  );
}
