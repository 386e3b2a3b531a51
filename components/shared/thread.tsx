import { cn } from "#components/ui/cn.ts";

/** Position of a tack on a board, in px. */
type ThreadPoint = { x: number; y: number };

const SAG_PER_PX = 0.17;

/**
 * Returns the SVG path of a thread between tacks. Each span sags by a share of its width and leaves the higher tack more
 * steeply, as a real thread does.
 */
function threadPath(points: readonly ThreadPoint[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let from = first;
  let path = `M${round(first.x)} ${round(first.y)}`;
  for (const to of rest) {
    const width = to.x - from.x;
    const drop = to.y - from.y;
    const sag = Math.abs(width) * SAG_PER_PX;
    const near = `${round(from.x + width * 0.34)} ${round(from.y + drop * 0.5 + sag)}`;
    const far = `${round(from.x + width * 0.68)} ${round(from.y + drop * 0.8 + sag)}`;
    path += `C${near} ${far} ${round(to.x)} ${round(to.y)}`;
    from = to;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

type ThreadProps = {
  /** The tacks in order of time, in px of `width` and `height`. */
  points: readonly ThreadPoint[];
  width: number;
  height: number;
  /** Stretches with its container, keeping the stroke width. */
  isStretched?: boolean;
  hasShadow?: boolean;
  className?: string;
};

/** A thread behind pins. It stands for time, so use it only where pins are in order of time. */
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
