"use client";

import { useRouter } from "next/navigation";
import { type RefObject, useRef } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { ReviewBar } from "#components/pins/review/review-bar.tsx";
import { ReviewCard } from "#components/pins/review/review-card.tsx";
import { NoDrafts, ReviewEnd } from "#components/pins/review/review-end.tsx";
import { ReviewFacts } from "#components/pins/review/review-facts.tsx";
import { useDeckInView } from "#components/pins/review/use-deck-in-view.ts";
import { usePreload } from "#components/pins/review/use-preload.ts";
import { useReview } from "#components/pins/review/use-review.ts";
import { useReviewEdit } from "#components/pins/review/use-review-edit.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { useScreenKeys } from "#components/shell/screen-keys.ts";
import { REVIEW_PATH } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type ProgressProps = { place: RefObject<HTMLDivElement | null>; at: number; total: number; words: string };

/** Where a deck stands, and what it says to those who do not see it turn. */
function ReviewProgress({ place, at, total, words }: ProgressProps) {
  const shown = Math.min(at + 1, total);
  return (
    <div ref={place} className="review-progress">
      <p className="num" aria-live="polite">
        {at < total ? `${shown} of ${total}` : `${total} of ${total}`}
        <span className="sr-only">{words}</span>
      </p>
      <div
        className="progress-bar"
        role="progressbar"
        aria-label="Drafts looked at"
        aria-valuenow={Math.min(at, total)}
        aria-valuemin={0}
        aria-valuemax={total}
      >
        <i style={{ width: `${(Math.min(at, total) / total) * 100}%` }} />
      </div>
    </div>
  );
}

function Deck({ accountId, drafts }: { accountId: string; drafts: readonly PostWire[] }) {
  const isEditing = useRef(false);
  const deck = useReview(drafts, isEditing);
  const edit = useReviewEdit(deck);
  isEditing.current = edit.isEditing;
  const { post, posts, at } = deck;
  usePreload(posts, at);
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
  const choice = post && deck.choiceOf(post.id);
  return (
    <>
      <ReviewProgress
        place={place}
        at={at}
        total={posts.length}
        words={post ? `: ${post.title}${choice ? `, ${choice}` : ""}` : ""}
      />
      {post ? (
        <div className="review-deck">
          <ReviewCard
            key={post.id}
            post={post}
            choice={choice}
            onDecide={(review) => unlessEditing(() => deck.decide(review))()}
          />
          <ReviewFacts
            key={`facts ${post.id}`}
            post={post}
            isDraft={deck.isDraft(post)}
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
  drafts: readonly PostWire[];
  creatorPath: string;
};

/** Quick review: drafts one by one, each approved or rejected by its owner (D9). */
export function ReviewScreen({ accounts, accountId, drafts, creatorPath }: ReviewScreenProps) {
  const router = useRouter();
  return (
    <>
      <PageHead
        title="Quick review"
        action={
          <AccountChoice
            accounts={accounts}
            value={accountId}
            onChange={(id) => router.replace(`${REVIEW_PATH}?account=${encodeURIComponent(id)}`)}
            isLabelHidden
          />
        }
      >
        Your drafts, one at a time. Nothing is scheduled or deleted until you say so at the end.
      </PageHead>
      {accountId && drafts.length > 0 ? (
        <Deck key={accountId} accountId={accountId} drafts={drafts} />
      ) : (
        <NoDrafts hasAccount={accountId !== null} creatorPath={creatorPath} />
      )}
    </>
  );
}
