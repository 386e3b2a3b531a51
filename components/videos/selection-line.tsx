"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { countOf } from "#components/videos/video-texts.ts";

type SelectionLineProps = { count: number; onClear: () => void; children?: ReactNode };

/** How many videos are selected, and letting them go (R-VID-15). Its place is there always, so that it is read out. */
export function SelectionLine({ count, onClear, children }: SelectionLineProps) {
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
      className="video-selection-place"
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        // Without another target the button itself may have gone.
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {count > 0 && (
        <div className="video-selection num">
          <span>{countOf(count, "video")} selected</span>
          <span className="video-selection-tools">
            {children}
            <Button size="sm" variant="quiet" onClick={onClear}>
              Clear
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
