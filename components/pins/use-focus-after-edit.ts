import { useEffect, useEffectEvent, useRef } from "react";

/** The form goes, and the focus inside it back to what opened it. */
export const useFocusAfterEdit = (isEditing: boolean, opener: () => HTMLElement | null | undefined): void => {
  const wasEditing = useRef(isEditing);
  const giveBack = useEffectEvent(() => opener()?.focus());
  useEffect(() => {
    if (wasEditing.current && !isEditing) giveBack();
    wasEditing.current = isEditing;
  }, [isEditing]);
};
