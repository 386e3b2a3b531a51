import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { EditDraftForm, type EditGuard, useEditGuard, useFocusAfterEdit } from "#components/pins/edit-draft-form.tsx";
import { LinkCheck } from "#components/pins/link-check.tsx";
import { isSomethingOpen } from "#components/shared/shortcuts.ts";
import { StatusChip } from "#components/shared/status-chip.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/api.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { readPostAction } from "#lib/features/pins/actions.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import type { ReviewDeck } from "./use-review.ts";

const FACTS = cn(
  "grid justify-items-start gap-3.5 min-w-0 [&>form]:w-full [&>form]:max-w-[36rem]",
  "[&_dl]:grid [&_dl]:grid-cols-[auto_minmax(0,1fr)] [&_dl]:gap-y-2 [&_dl]:gap-x-4.5 [&_dl]:text-sm",
  "[&_dt]:text-ink-3 [&_dd]:wrap-anywhere",
  // The button of a banner stands below the words, not below their mark.
  "max-[64rem]:[&_[data-slot=banner]:has(>[data-slot=button])]:grid max-[64rem]:[&_[data-slot=banner]:has(>[data-slot=button])]:grid-cols-[auto_minmax(0,1fr)]",
  "max-[64rem]:[&_[data-slot=banner]>[data-slot=button]]:col-start-2 max-[64rem]:[&_[data-slot=banner]>[data-slot=button]]:justify-self-start",
);

/** The form of the draft that is shown: opened by a key or a button, left by Escape as well. */
export interface ReviewEdit {
  isEditing: boolean;
  guard: EditGuard;
  /** What opens the form, and gets the focus back when it is gone. */
  opener: RefObject<HTMLButtonElement | null>;
  open: () => void;
  close: () => void;
}

/** Lets the draft that is shown be edited, as long as it is one (D9). */
export const useReviewEdit = ({ post, isDraft }: ReviewDeck): ReviewEdit => {
  const [editing, setEditing] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isEditing = post !== null && editing === post.id;
  const close = () => setEditing(null);
  const guard = useEditGuard(post, close);

  useFocusAfterEdit(isEditing, () => opener.current);

  const hear = useEffectEvent((event: KeyboardEvent) => {
    // A dialog above the form has taken its own Escape by now, an input method its own.
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isSomethingOpen()) return;
    event.preventDefault();
    guard.leave();
  });
  useEffect(() => {
    if (!isEditing) return;
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, [isEditing]);

  const open = () => {
    if (post && isDraft(post)) setEditing(post.id);
  };
  return { isEditing, guard, opener, open, close };
};

type ReviewFactsProps = {
  post: PostWire;
  isDraft: boolean;
  isEditing: boolean;
  guard: EditGuard;
  onEdited: (post: PostWire) => void;
  onClose: () => void;
};

/** What goes out with the picture: title, description, link; or the form that changes them. */
export function ReviewFacts({ post, isDraft, isEditing, guard, onEdited, onClose }: ReviewFactsProps) {
  const notice = useNotice();
  const readAgain = async () => {
    onClose();
    const answer = await callAction(readPostAction({ pinId: post.id }));
    if (answer.ok) onEdited(answer.value.post);
    else notice.error(answer.text);
  };
  if (isEditing) {
    return (
      <div data-slot="review-facts" className={FACTS}>
        <EditDraftForm post={post} formRef={guard.form} onDone={readAgain} onCancel={onClose} />
        <DiscardDialog guard={guard}>What you changed in this draft has not been saved.</DiscardDialog>
      </div>
    );
  }
  const link = post.url === null ? null : httpUrl(post.url);
  return (
    <div data-slot="review-facts" className={FACTS}>
      {isDraft ? <StatusChip state={post.status} /> : <Banner>{TEXTS.notReviewable}</Banner>}
      <h2 className="title-2 max-w-full wrap-anywhere">{post.title}</h2>
      {post.description && (
        <p data-slot="review-words" className="max-w-[58ch] text-ink-2 leading-[1.6] whitespace-pre-line wrap-anywhere">
          {post.description}
        </p>
      )}
      <dl className="num">
        {post.keyword && (
          <>
            <dt>Keyword</dt>
            <dd>{post.keyword}</dd>
          </>
        )}
        <dt>Link</dt>
        <dd>
          {link ? (
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {post.url}
            </a>
          ) : (
            "None"
          )}
        </dd>
      </dl>
      <LinkCheck key={post.id} post={post} />
    </div>
  );
}
