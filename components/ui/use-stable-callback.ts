"use client";

import { useCallback, useEffect, useRef } from "react";

/** Returns a function with a stable identity that always calls the newest `act`. */
export const useStableCallback = <A extends unknown[]>(act: (...args: A) => void): ((...args: A) => void) => {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  return useCallback((...args: A) => latest.current(...args), []);
};
