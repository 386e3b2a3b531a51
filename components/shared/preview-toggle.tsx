"use client";

import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import { PinPreview, type PreviewedPin } from "#components/shared/pin-preview.tsx";
import { Button } from "#components/ui/button.tsx";

/** Shows a pin that is being written as Pinterest will show it, on request. `name`: such as 'pin 3'. */
export function PreviewToggle({ name, pin }: { name: string; pin: PreviewedPin }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="grid w-full min-w-0 justify-items-start gap-3.5">
      <Button
        size="sm"
        variant="quiet"
        className="aria-expanded:[&_svg]:rotate-180"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronDown aria-hidden="true" />
        Preview
        <span className="sr-only"> of {name}</span>
      </Button>
      {isOpen && (
        <div id={id} className="w-full">
          <PinPreview label={`Preview of ${name}`} pin={pin} />
        </div>
      )}
    </div>
  );
}
