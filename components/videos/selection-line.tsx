import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { countOf } from "#components/videos/video-texts.ts";

type SelectionLineProps = { count: number; onClear: () => void; children?: ReactNode };

/** How many videos are selected, and letting them go (R-VID-15). Its place is there always, so that it is read out. */
export function SelectionLine({ count, onClear, children }: SelectionLineProps) {
  return (
    <div role="status" className="not-empty:mb-5">
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
