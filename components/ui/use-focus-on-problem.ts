import { type RefObject, useEffect, useRef } from "react";

/**
 * After each rejected submit the first control with a problem gets the focus, or the first text marked `data-fault`.
 * `rejections` counts the rejected submits. @returns the form's `ref`
 */
export const useFocusOnProblem = (rejections: number): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (rejections === 0) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid='true']:enabled, [data-fault]")?.focus();
  }, [rejections]);
  return form;
};
