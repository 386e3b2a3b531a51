import { type ThreadPoint, threadPath } from "#components/pins/thread-path.ts";
import { cn } from "#components/ui/cn.ts";

type ThreadProps = {
  /** Where the tacks are, in the order of time, in the px of `width` and `height`. */
  points: readonly ThreadPoint[];
  width: number;
  height: number;
  /** Stretches with its container instead of keeping px (the schedule bar); the stroke keeps its weight. */
  isStretched?: boolean;
  hasShadow?: boolean;
  className?: string;
};

/** The thread is the time: draw it only where the order in time is meant, behind the pins. */
export function Thread({ points, width, height, isStretched = false, hasShadow = true, className }: ThreadProps) {
  const path = threadPath(points);
  return (
    <svg
      aria-hidden="true"
      className={cn("thread", isStretched && "w-full", className)}
      viewBox={`0 0 ${width} ${height}`}
      width={isStretched ? undefined : width}
      height={height}
      preserveAspectRatio={isStretched ? "none" : undefined}
    >
      {hasShadow && <path className="thread-shadow" d={path} />}
      <path d={path} />
    </svg>
  );
}
