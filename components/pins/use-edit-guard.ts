import { type RefObject, useEffect, useRef, useState } from "react";
import { isEdited } from "#components/pins/draft-edit.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** Between a form of typed words and whatever closes it. */
export interface EditGuard {
  /** The form, while there is one. */
  form: RefObject<HTMLFormElement | null>;
  /** Leaves at once where nothing was changed, else asks first. */
  leave: () => void;
  isAsking: boolean;
  keep: () => void;
  discard: () => void;
}

/** Words typed into a draft's form are given up only by somebody who says so (R-POST-07, D9). */
export const useEditGuard = (post: PostWire | null, onLeave: () => void): EditGuard => {
  const form = useRef<HTMLFormElement>(null);
  const [isAsking, setAsking] = useState(false);
  // A draft that went elsewhere meanwhile has taken its form along, and the question with it.
  const isThere = post !== null;
  useEffect(() => {
    if (!isThere) setAsking(false);
  }, [isThere]);
  return {
    form,
    isAsking,
    leave: () => {
      if (post && form.current && isEdited(post, new FormData(form.current))) setAsking(true);
      else onLeave();
    },
    keep: () => setAsking(false),
    discard: () => {
      setAsking(false);
      onLeave();
    },
  };
};
