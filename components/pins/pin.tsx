import type { ReactNode } from "react";
import type { PinSize, PinState } from "#components/pins/pin-state.ts";
import { Tack } from "#components/pins/tack.tsx";
import { cn } from "#components/ui/cn.ts";

type PinProps = {
  state: PinState;
  size?: PinSize;
  isSelected?: boolean;
  /** Off for pins that lie on a table rather than hang on a board. */
  hasTack?: boolean;
  /** Plays the tack going home: pass it on the render in which the state changed. */
  isPressing?: boolean;
  /** A `PinFace`, `PinSheet` or `PinOutline`. */
  children: ReactNode;
  className?: string;
};

/** A pin as it hangs: face and tack. Facts go below it, in a `Slip`; never on the picture. */
export function Pin({ state, size = "md", isSelected, hasTack = true, isPressing, children, className }: PinProps) {
  return (
    <span
      className={cn("pin", `pin-${state}`, size !== "md" && `pin-${size}`, isSelected && "pin-selected", className)}
    >
      {children}
      {hasTack && <Tack state={state} isPressing={isPressing} />}
    </span>
  );
}
