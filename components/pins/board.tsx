import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";

type BoardProps = ComponentProps<"div"> & {
  /** Runs from edge to edge without rounded corners. */
  isBleeding?: boolean;
};

/** The linen board that pins hang on. Give it its own padding; tacks need about 12 px above the first row. */
export function Board({ isBleeding = false, className, ...rest }: BoardProps) {
  return <div className={cn("board", isBleeding && "board-bleed", className)} {...rest} />;
}
