import type { ReactNode } from "react";
import { Pin } from "#components/pins/pin.tsx";
import type { PinState } from "#components/pins/pin-state.ts";
import { WallPicture } from "#components/site/wall-picture.tsx";
import { cn } from "#components/ui/cn.ts";

type HungPinProps = {
  /** Name of a pin in public/pins. */
  poster: string;
  /** Left and top of the picture's corner and its width, in px of the wall's field. */
  x: number;
  y: number;
  width: number;
  state?: PinState;
  isEager?: boolean;
  caption?: ReactNode;
  className?: string;
};

/** A pin at a fixed place on a wall of the public pages. The picture is decoration there: its caption says the rest. */
export function HungPin({ poster, x, y, width, state = "published", isEager, caption, className }: HungPinProps) {
  return (
    <figure className={cn("hung", className)} style={{ left: x, top: y, width }}>
      <Pin state={state}>
        <WallPicture name={poster} alt="" widthPx={width} isEager={isEager} />
      </Pin>
      {caption && <figcaption className="hung-caption">{caption}</figcaption>}
    </figure>
  );
}
