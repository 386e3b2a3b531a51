import Check from "lucide-react/icons/check";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Pencil from "lucide-react/icons/pencil";
import Undo2 from "lucide-react/icons/undo-2";
import X from "lucide-react/icons/x";
import { type RefObject, useLayoutEffect, useRef } from "react";
import type { ReviewDeck } from "#components/pins/review/use-review.ts";
import type { ReviewEdit } from "#components/pins/review/use-review-edit.ts";
import { useSingleKeys } from "#components/shell/single-keys.ts";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Kbd } from "#components/ui/kbd.tsx";

const KEYS = [
  ["j", "next"],
  ["k", "previous"],
  ["a", "approve"],
  ["x", "reject"],
  ["e", "edit"],
  ["u", "undo"],
] as const;

function HelpLine() {
  const areOn = useSingleKeys();
  return (
    <p className="review-help">
      <span className="review-help-touch">Swipe right to approve, left to reject.</span>
      {areOn ? (
        <span className="review-help-keys">
          {KEYS.map(([key, word]) => (
            <span key={key}>
              <Kbd keys={[key]} /> {word}
            </span>
          ))}
        </span>
      ) : (
        <span className="review-help-keys">Shortcuts of a single key are off in this browser.</span>
      )}
    </p>
  );
}

/** A button that has done all it can is switched off; the focus on it goes to the next thing to be said. */
const useFocusOnEnabled = (bar: RefObject<HTMLElement | null>, state: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is switched off follows from the state
  useLayoutEffect(() => {
    const { current } = bar;
    const focused = document.activeElement;
    if (!current?.contains(focused) || !focused?.matches(":disabled")) return;
    const [primary, any] = ["button.btn-primary:enabled", "button:enabled"];
    (current.querySelector<HTMLElement>(primary) ?? current.querySelector<HTMLElement>(any))?.focus();
  }, [bar, state]);
};

type ReviewBarProps = { deck: ReviewDeck; edit: ReviewEdit };

/** Everything the keys do, to press: what matters most stands under the thumb. */
export function ReviewBar({ deck, edit }: ReviewBarProps) {
  const isDraft = deck.post !== null && deck.isDraft(deck.post);
  const bar = useRef<HTMLDivElement>(null);
  useFocusOnEnabled(bar, `${deck.at} ${isDraft} ${deck.canUndo}`);
  return (
    <div ref={bar} className="review-bar">
      <div className="review-buttons">
        <IconButton label="Previous draft" disabled={deck.at === 0} onClick={() => deck.go(deck.at - 1)}>
          <ChevronLeft aria-hidden="true" />
        </IconButton>
        <Button className="review-decide" disabled={!isDraft} onClick={() => deck.decide("rejected")}>
          <X aria-hidden="true" />
          Reject
        </Button>
        <Button variant="primary" className="review-decide" disabled={!isDraft} onClick={() => deck.decide("approved")}>
          <Check aria-hidden="true" />
          Approve
        </Button>
        <IconButton label="Next draft" disabled={!deck.post} onClick={() => deck.go(deck.at + 1)}>
          <ChevronRight aria-hidden="true" />
        </IconButton>
        <IconButton ref={edit.opener} label="Edit" disabled={!isDraft} onClick={edit.open}>
          <Pencil aria-hidden="true" />
        </IconButton>
        <IconButton label="Undo the last choice" disabled={!deck.canUndo} onClick={deck.undo}>
          <Undo2 aria-hidden="true" />
        </IconButton>
      </div>
      <HelpLine />
    </div>
  );
}
