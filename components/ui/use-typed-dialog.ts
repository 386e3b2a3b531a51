import { type RefObject, useEffect, useRef } from "react";
import { type LeaveGuard, useLeaveGuard } from "#components/ui/use-leave-guard.ts";

export interface TypedDialog {
  guard: LeaveGuard;
  /** What the form in the dialog keeps up to date with `useTellTyped`. */
  typed: RefObject<boolean>;
}

/** For a dialog whose form keeps its words to itself: closing it asks first where some were typed. */
export const useTypedDialog = (isOpen: boolean, onClose: () => void): TypedDialog => {
  const typed = useRef(false);
  const guard = useLeaveGuard({ isThere: isOpen, isEdited: () => typed.current, onLeave: onClose });
  return { guard, typed };
};

/** Tells the dialog around a form whether words would be lost with it. */
export const useTellTyped = (typed: RefObject<boolean>, isTyped: boolean): void => {
  useEffect(() => {
    typed.current = isTyped;
    return () => {
      typed.current = false;
    };
  }, [typed, isTyped]);
};
