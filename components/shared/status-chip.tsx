import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import PenLine from "lucide-react/icons/pen-line";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unlink from "lucide-react/icons/unlink";
import { Banner } from "#components/ui/banner.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { hasLinkWarning, LINK_LABELS } from "#lib/features/links/policy.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { PinState } from "./pin.tsx";

const STATUSES = {
  draft: { label: "Draft", Icon: PenLine },
  scheduled: { label: "Scheduled", Icon: Clock },
  published: { label: "Published", Icon: Check },
  failed: { label: "Failed", Icon: TriangleAlert },
} as const;

/** The status of a pin as a chip. */
export function StatusChip({ state, className }: { state: PinState; className?: string }) {
  const { label, Icon } = STATUSES[state];
  return (
    <Chip tone={state} icon={<Icon aria-hidden="true" />} className={className}>
      {label}
    </Chip>
  );
}

type LinkStatus = Pick<PinWire, "link_state" | "link_warning">;

/** A short warning about a pin's link. Renders nothing when the link is fine. */
export function LinkChip({ pin, className }: { pin: LinkStatus; className?: string }) {
  if (pin.link_state === null || !hasLinkWarning(pin.link_state)) return null;
  return (
    <Chip tone="low" icon={<Unlink aria-hidden="true" />} className={className}>
      {LINK_LABELS[pin.link_state]}
      <span className="sr-only">: {pin.link_warning}</span>
    </Chip>
  );
}

/** A warning about a pin's link in a full sentence. It does not block publishing. See also link-check.tsx. */
export function LinkWarning({ pin }: { pin: LinkStatus }) {
  if (pin.link_warning === null) return null;
  return <Banner tone={hasLinkWarning(pin.link_state) ? "low" : "plain"}>{pin.link_warning}</Banner>;
}
