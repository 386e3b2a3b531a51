import { useEffect, useState } from "react";

/** Between a form of typed words and whatever closes it. */
export interface LeaveGuard {
  /** Leaves at once where nothing was changed, else asks first. */
  leave: () => void;
  isAsking: boolean;
  keep: () => void;
  discard: () => void;
}

type Guarded = {
  /** Whether the form is there: when it goes by itself, the question goes with it. */
  isThere: boolean;
  /** Whether something would be lost. */
  isEdited: () => boolean;
  onLeave: () => void;
};

/** Typed words are given up only by somebody who says so. */
export const useLeaveGuard = ({ isThere, isEdited, onLeave }: Guarded): LeaveGuard => {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isThere) setAsking(false);
  }, [isThere]);
  return {
    isAsking,
    leave: () => {
      if (isEdited()) setAsking(true);
      else onLeave();
    },
    keep: () => setAsking(false),
    discard: () => {
      setAsking(false);
      onLeave();
    },
  };
};
