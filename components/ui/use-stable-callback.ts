"use client";

import { useCallback, useEffect, useRef } from "react";

/** Returns a function with a stable identity that always calls the newest `act`. */
export const useStableCallback = <A extends unknown[], R>(act: (...args: A) => R): ((...args: A) => R) => {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  return useCallback((...args: A) => latest.current(...args), []);
};
