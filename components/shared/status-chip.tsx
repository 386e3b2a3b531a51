import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import PenLine from "lucide-react/icons/pen-line";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unlink from "lucide-react/icons/unlink";
import { Banner } from "#components/ui/banner.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { hasLinkConcern, LINK_LABELS } from "#lib/features/links/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import type { PinState } from "./pin.tsx";

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

type LinkNews = Pick<PostWire, "link_state" | "link_warning">;

/** What stands against a pin's link, in a word or two: for a card, a row, a slot. Null when nothing does. */
export function LinkChip({ post, className }: { post: LinkNews; className?: string }) {
  if (post.link_state === null || !hasLinkConcern(post.link_state)) return null;
  return (
    <Chip tone="low" icon={<Unlink aria-hidden="true" />} className={className}>
      {LINK_LABELS[post.link_state]}
      <span className="sr-only">: {post.link_warning}</span>
    </Chip>
  );
}

/**
 * What a person should know about a pin's link before it is published, in a sentence (R-SRV-08). It holds nothing back.
 * Null without a warning. Where the link can be checked again: link-check.tsx.
 */
export function LinkWarning({ post }: { post: LinkNews }) {
  if (post.link_warning === null) return null;
  return <Banner tone={hasLinkConcern(post.link_state) ? "low" : "plain"}>{post.link_warning}</Banner>;
}
