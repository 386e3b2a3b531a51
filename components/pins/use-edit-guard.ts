import { type RefObject, useRef } from "react";
import { isEdited } from "#components/pins/draft-edit.ts";
import { type LeaveGuard, useLeaveGuard } from "#components/ui/use-leave-guard.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** Between a draft's form and whatever closes it. */
export interface EditGuard extends LeaveGuard {
  /** The form, while there is one. */
  form: RefObject<HTMLFormElement | null>;
}

/** Words typed into a draft's form are given up only by somebody who says so (R-POST-07, D9). */
export const useEditGuard = (post: PostWire | null, onLeave: () => void): EditGuard => {
  const form = useRef<HTMLFormElement>(null);
  const guard = useLeaveGuard({
    // A draft that went elsewhere meanwhile has taken its form along.
    isThere: post !== null,
    isEdited: () => post !== null && form.current !== null && isEdited(post, new FormData(form.current)),
    onLeave,
  });
  return { form, ...guard };
};
