"use client";

import { type RefCallback, useCallback } from "react";

/** Returns a `ref` for a button: when it unmounts with the focus, the focusable element with this id gets it. */
export const useReturnFocus = (id: string): RefCallback<HTMLElement> =>
  useCallback(
    (button) => () => {
      if (button !== null && document.activeElement === button) document.getElementById(id)?.focus();
    },
    [id],
  );
