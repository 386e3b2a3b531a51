import type { PinState } from "#components/pins/pin-state.ts";
import { cn } from "#components/ui/cn.ts";

type TackProps = {
  /** `slip` is the dark tack that holds a list of keywords rather than a pin. */
  state: PinState | "slip";
  /** Plays the tack's way from hovering to pressed home, once, on mount. */
  isPressing?: boolean;
  className?: string;
};

/** The tack is the state. It is decoration: every tack stands beside a `StatusChip` or a word that says the same. */
export function Tack({ state, isPressing = false, className }: TackProps) {
  return <span aria-hidden="true" className={cn("tack", `tack-${state}`, isPressing && "tack-pressing", className)} />;
}
