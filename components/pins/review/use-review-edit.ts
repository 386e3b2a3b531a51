import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ReviewDeck } from "#components/pins/review/use-review.ts";
import { type EditGuard, useEditGuard } from "#components/pins/use-edit-guard.ts";
import { useFocusAfterEdit } from "#components/pins/use-focus-after-edit.ts";
import { isSomethingOpen } from "#components/shell/shortcuts.ts";

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
