"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { countOf } from "#components/videos/video-texts.ts";

type SelectionLineProps = {
  count: number;
  /** What a selection is for, said while there is none. */
  hint: string;
  onClear: () => void;
  /** What can be done with the selected. */
  children?: ReactNode;
};

/**
 * How many videos are selected, and letting them go (R-VID-15). It keeps its height without a selection, so that the
 * first one moves nothing, and with one it stays in view while the list scrolls.
 */
export function SelectionLine({ count, hint, onClear, children }: SelectionLineProps) {
  const line = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const isEmpty = count === 0;
  // Its buttons go with the selection; whoever pressed one goes on from here.
  useLayoutEffect(() => {
    if (!isEmpty || !hadFocus.current) return;
    hadFocus.current = false;
    if (document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, [isEmpty]);
  return (
    <div
      ref={line}
      role="status"
      tabIndex={-1}
      className="video-selection num"
      data-empty={isEmpty}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        // Without another target the button itself may have gone.
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <span>{isEmpty ? hint : `${countOf(count, "video")} selected`}</span>
      {!isEmpty && (
        <span className="video-selection-tools">
          {children}
          <Button size="sm" variant="quiet" onClick={onClear}>
            Clear
          </Button>
        </span>
      )}
    </div>
  );
}
