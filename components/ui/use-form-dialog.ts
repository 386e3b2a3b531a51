import { type RefObject, useEffect, useRef } from "react";
import { type LeaveGuard, useLeaveGuard } from "#components/ui/use-leave-guard.ts";

interface FormDialog {
  guard: LeaveGuard;
  /** Kept up to date by the form in the dialog with `useReportDirty`. */
  dirtyRef: RefObject<boolean>;
}

/** For a dialog whose form holds its own state: closing it asks first when there are unsaved changes. */
export const useFormDialog = (isOpen: boolean, onClose: () => void): FormDialog => {
  const dirtyRef = useRef(false);
  const guard = useLeaveGuard({ isOpen, isDirty: () => dirtyRef.current, onLeave: onClose });
  return { guard, dirtyRef };
};

/** Reports to the surrounding dialog whether its form has unsaved changes. */
export const useReportDirty = (dirtyRef: RefObject<boolean>, isDirty: boolean): void => {
  useEffect(() => {
    dirtyRef.current = isDirty;
    return () => {
      dirtyRef.current = false;
    };
  }, [dirtyRef, isDirty]);
};
