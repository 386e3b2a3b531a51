import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import PenLine from "lucide-react/icons/pen-line";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { PinState } from "#components/pins/pin-state.ts";
import { Chip } from "#components/ui/chip.tsx";

const WORDS = {
  draft: { label: "Draft", Icon: PenLine },
  scheduled: { label: "Scheduled", Icon: Clock },
  published: { label: "Published", Icon: Check },
  failed: { label: "Failed", Icon: TriangleAlert },
} as const;

/** The state of a pin in a word, beside its tack. */
export function StatusChip({ state, className }: { state: PinState; className?: string }) {
  const { label, Icon } = WORDS[state];
  return (
    <Chip tone={state} icon={<Icon aria-hidden="true" />} className={className}>
      {label}
    </Chip>
  );
}
