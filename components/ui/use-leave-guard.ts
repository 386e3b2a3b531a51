import { useEffect, useState } from "react";

/** Asks before a form with unsaved changes is closed. */
export interface LeaveGuard {
  /** Leaves at once when nothing was changed, else asks first. */
  leave: () => void;
  isConfirming: boolean;
  keepEditing: () => void;
  discard: () => void;
}

type Guarded = {
  /** Whether the form is open. When it closes on its own, so does the confirmation. */
  isOpen: boolean;
  isDirty: () => boolean;
  onLeave: () => void;
};

/** Asks for confirmation before unsaved changes are lost. */
export const useLeaveGuard = ({ isOpen, isDirty, onLeave }: Guarded): LeaveGuard => {
  const [isConfirming, setConfirming] = useState(false);
  useEffect(() => {
    if (!isOpen) setConfirming(false);
  }, [isOpen]);
  return {
    isConfirming,
    leave: () => {
      if (isDirty()) setConfirming(true);
      else onLeave();
    },
    keepEditing: () => setConfirming(false),
    discard: () => {
      setConfirming(false);
      onLeave();
    },
  };
};
