"use client";

import Check from "lucide-react/icons/check";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Pencil from "lucide-react/icons/pencil";
import Undo2 from "lucide-react/icons/undo-2";
import X from "lucide-react/icons/x";
import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { WaysToPins } from "#components/pins/no-pins.tsx";
import { useDeletion } from "#components/pins/use-pin-actions.ts";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { useScreenKeys, useSingleKeys } from "#components/shared/keyboard.ts";
import { PageHeader } from "#components/shared/page-header.tsx";
import { ProgressBar } from "#components/shared/progress-bar.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { chosenPath, REVIEW_PATH } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { ReviewCard, usePreload } from "./review-card.tsx";
import { type ReviewEdit, ReviewFacts, useReviewEdit } from "./review-facts.tsx";
import { type ReviewDeck, useReview } from "./use-review.ts";

/** Same breakpoint as the classes of the card. */
const NARROW = "(max-width: 767px)";

/** Scrolls each new draft into view without moving the focus; on phones its image goes to the top of the window. */
const useDeckInView = (at: number): RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(at);
  useEffect(() => {
    if (shown.current === at) return;
    shown.current = at;
    place.current?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }, [at]);
  return place;
};

const KEYS = [
  ["j", "next"],
  ["k", "previous"],
  ["a", "approve"],
  ["x", "reject"],
  ["e", "edit"],
  ["u", "undo"],
] as const;

function ShortcutHelp() {
  const areEnabled = useSingleKeys();
  return (
    <p className="text-sm text-ink-3">
      <span className="hidden pointer-coarse:inline">Swipe right to approve, left to reject.</span>
      {areEnabled ? (
        <span
          className={cn(
            "flex flex-wrap gap-y-2 gap-x-4.5 pointer-coarse:hidden",
            "[&>span]:inline-flex [&>span]:items-center [&>span]:gap-1.5",
          )}
        >
          {KEYS.map(([key, action]) => (
            <span key={key}>
              <Kbd keys={[key]} /> {action}
            </span>
          ))}
        </span>
      ) : (
        <span
          className={cn(
            "flex flex-wrap gap-y-2 gap-x-4.5 pointer-coarse:hidden",
            "[&>span]:inline-flex [&>span]:items-center [&>span]:gap-1.5",
          )}
        >
          Single-key shortcuts are off in this browser.
        </span>
      )}
    </p>
  );
}

/** Moves the focus from a button that became disabled to the next useful button. */
const useFocusOnEnabled = (bar: RefObject<HTMLElement | null>, state: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state decides which buttons are disabled
  useLayoutEffect(() => {
    const { current } = bar;
    const focused = document.activeElement;
    if (!current?.contains(focused) || !focused?.matches(":disabled")) return;
    const approve = current.querySelector<HTMLElement>("[data-slot=approve]:enabled");
    (approve ?? current.querySelector<HTMLElement>("button:enabled"))?.focus();
  }, [bar, state]);
};

type ReviewBarProps = { deck: ReviewDeck; edit: ReviewEdit };

/** Without an icon on the narrowest phones. */
const DECISION = "max-md:flex-[1_1_0] max-md:px-2 max-[24rem]:[&>svg]:hidden";

/** Buttons for all shortcuts; on phones the main ones are within reach of the thumb. */
function ReviewBar({ deck, edit }: ReviewBarProps) {
  const isDraft = deck.pin !== null && deck.isDraft(deck.pin);
  const bar = useRef<HTMLDivElement>(null);
  useFocusOnEnabled(bar, `${deck.at} ${isDraft} ${deck.canUndo}`);
  return (
    <div
      ref={bar}
      data-slot="review-bar"
      className={cn(
        "grid gap-4 max-[64rem]:sticky max-[64rem]:bottom-0 max-[64rem]:z-(--z-bar) max-[64rem]:border-t",
        "max-[64rem]:border-line md:max-[64rem]:col-span-full md:max-[64rem]:bg-page md:max-[64rem]:py-3",
        "max-md:-mx-5 max-md:gap-2 max-md:bg-surface max-md:px-5 max-md:pt-3",
        "max-md:pb-[calc(12px+env(safe-area-inset-bottom))]",
      )}
    >
      <div className="flex flex-wrap items-center gap-2.5 max-md:gap-1.5 min-[24rem]:max-md:flex-nowrap">
        <IconButton label="Previous draft" disabled={deck.at === 0} onClick={() => deck.go(deck.at - 1)}>
          <ChevronLeft aria-hidden="true" />
        </IconButton>
        <Button className={DECISION} disabled={!isDraft} onClick={() => deck.decide("rejected")}>
          <X aria-hidden="true" />
          Reject
        </Button>
        <Button
          variant="primary"
          data-slot="approve"
          className={DECISION}
          disabled={!isDraft}
          onClick={() => deck.decide("approved")}
        >
          <Check aria-hidden="true" />
          Approve
        </Button>
        <IconButton label="Next draft" disabled={!deck.pin} onClick={() => deck.go(deck.at + 1)}>
          <ChevronRight aria-hidden="true" />
        </IconButton>
        <IconButton ref={edit.opener} label="Edit" disabled={!isDraft} onClick={edit.open}>
          <Pencil aria-hidden="true" />
        </IconButton>
        <IconButton label="Undo last review" disabled={!deck.canUndo} onClick={deck.undo}>
          <Undo2 aria-hidden="true" />
        </IconButton>
      </div>
      <ShortcutHelp />
    </div>
  );
}

const drafts = (count: number): string => (count === 1 ? "1 draft" : `${count} drafts`);

type ReviewEndProps = { accountId: string; deck: ReviewDeck };

/** The summary after the last draft, with what to do next. */
function ReviewEnd({ accountId, deck }: ReviewEndProps) {
  const { approved, rejected, open } = deck.counts;
  const router = useRouter();
  // The live stream reports deleted and restored drafts.
  const { remove, isDeleting } = useDeletion({ onChanged: () => undefined });
  const rejectedIds = deck.pins
    .filter((pin) => deck.isDraft(pin) && deck.choiceOf(pin.id) === "rejected")
    .map(({ id }) => id);
  const firstOpen = deck.pins.findIndex((pin) => deck.isDraft(pin) && deck.choiceOf(pin.id) === null);
  // The button waits for pending saves, because the next screen reads the reviews from the server.
  const scheduleApproved = () => router.push(chosenPath(accountId, "approved"));
  return (
    <section className="rounded-card bg-surface shadow-card grid justify-items-start gap-4.5 p-7">
      <FocusedHeading key={rejected} className="title-2">
        {open === 0 ? "All reviewed" : `${drafts(open)} left to review`}
      </FocusedHeading>
      <p className="num text-ink-2">
        {drafts(approved)} approved, {drafts(rejected)} rejected.
      </p>
      <div className="flex flex-wrap gap-2">
        {firstOpen >= 0 && (
          <Button variant={approved === 0 ? "primary" : "secondary"} onClick={() => deck.go(firstOpen)}>
            Review {open === 1 ? "it" : "them"}
          </Button>
        )}
        {approved > 0 && (
          <Button variant="primary" isBusy={deck.isSaving} onClick={scheduleApproved}>
            Schedule {drafts(approved)}
          </Button>
        )}
        {rejected > 0 && (
          <Button variant="danger-quiet" isBusy={deck.isSaving || isDeleting} onClick={() => remove(rejectedIds)}>
            Delete {drafts(rejected)}
          </Button>
        )}
        <Button variant="quiet" onClick={() => deck.go(0)}>
          Start over
        </Button>
        {deck.canUndo && (
          <Button variant="quiet" onClick={deck.undo}>
            Undo last review
          </Button>
        )}
      </div>
    </section>
  );
}

function NoDrafts({ hasAccount, creatorPath }: { hasAccount: boolean; creatorPath: string }) {
  return (
    <EmptyState
      title={hasAccount ? "No drafts" : "No accounts connected yet"}
      action={
        hasAccount ? (
          <WaysToPins creatorPath={creatorPath} />
        ) : (
          <LinkButton variant="primary" href="/app">
            Connect Account
          </LinkButton>
        )
      }
    >
      {hasAccount
        ? "Enter a few keywords or upload your own images. Each one becomes a draft to review here."
        : "Connect a Pinterest account to create your first pins."}
    </EmptyState>
  );
}

type ProgressProps = { place: RefObject<HTMLDivElement | null>; at: number; total: number; announcement: string };

/** Progress, with an announcement of the current draft for screen readers. */
function ReviewProgress({ place, at, total, announcement }: ProgressProps) {
  const shown = Math.min(at + 1, total);
  return (
    <div
      ref={place}
      data-slot="review-progress"
      className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-4 mb-5.5 font-[550]"
    >
      <p className="num" aria-live="polite">
        {at < total ? `${shown} of ${total}` : `${total} of ${total}`}
        <span className="sr-only">{announcement}</span>
      </p>
      <ProgressBar label="Drafts reviewed" value={Math.min(at, total)} max={total} />
    </div>
  );
}

function Deck({ accountId, drafts }: { accountId: string; drafts: readonly PinWire[] }) {
  const isEditing = useRef(false);
  const deck = useReview(drafts, isEditing);
  const edit = useReviewEdit(deck);
  useEffect(() => {
    isEditing.current = edit.isEditing;
  }, [edit.isEditing]);
  const { pin, pins, at } = deck;
  usePreload(pins, at);
  const place = useDeckInView(at);
  const unlessEditing = (act: () => void) => () => {
    if (!edit.isEditing) act();
  };
  useScreenKeys({
    j: unlessEditing(() => deck.go(at + 1)),
    k: unlessEditing(() => deck.go(at - 1)),
    a: unlessEditing(() => deck.decide("approved")),
    x: unlessEditing(() => deck.decide("rejected")),
    e: edit.open,
    u: unlessEditing(deck.undo),
  });
  const choice = pin && deck.choiceOf(pin.id);
  return (
    <>
      <ReviewProgress
        place={place}
        at={at}
        total={pins.length}
        announcement={pin ? `: ${pin.title}${choice ? `, ${choice}` : ""}` : ""}
      />
      {pin ? (
        <div
          className={cn(
            "grid grid-cols-[minmax(0,380px)_minmax(0,1fr)] grid-rows-[auto_1fr] gap-y-7 gap-x-11 items-start",
            "md:max-[64rem]:grid-cols-[minmax(0,270px)_minmax(0,1fr)] md:max-[64rem]:grid-rows-none",
            "md:max-[64rem]:gap-y-6 md:max-[64rem]:gap-x-8",
            "max-md:grid-cols-1 max-md:grid-rows-none max-md:gap-5",
          )}
        >
          <ReviewCard
            key={pin.id}
            pin={pin}
            choice={choice}
            onDecide={(review) => unlessEditing(() => deck.decide(review))()}
          />
          <ReviewFacts
            key={`facts ${pin.id}`}
            pin={pin}
            isDraft={deck.isDraft(pin)}
            isEditing={edit.isEditing}
            guard={edit.guard}
            onEdited={deck.replace}
            onClose={edit.close}
          />
          {!edit.isEditing && <ReviewBar deck={deck} edit={edit} />}
        </div>
      ) : (
        <ReviewEnd accountId={accountId} deck={deck} />
      )}
    </>
  );
}

type ReviewScreenProps = {
  accounts: AccountOption[];
  accountId: string | null;
  drafts: readonly PinWire[];
  creatorPath: string;
};

/** Review Drafts: approve or reject drafts one by one. */
export function ReviewScreen({ accounts, accountId, drafts, creatorPath }: ReviewScreenProps) {
  const router = useRouter();
  return (
    <>
      <PageHeader
        title="Review Drafts"
        action={
          <AccountChoice
            accounts={accounts}
            value={accountId}
            onChange={(id) => router.replace(`${REVIEW_PATH}?account=${encodeURIComponent(id)}`)}
            isLabelHidden
          />
        }
      >
        Review your drafts one at a time. Nothing is scheduled or deleted until you confirm at the end.
      </PageHeader>
      {accountId && drafts.length > 0 ? (
        <Deck key={accountId} accountId={accountId} drafts={drafts} />
      ) : (
        <NoDrafts hasAccount={accountId !== null} creatorPath={creatorPath} />
      )}
    </>
  );
}
