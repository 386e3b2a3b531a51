"use client";

import { useCallback, useEffect, useRef } from "react";

/** The same function for as long as the component is there; it does what the newest one given does. */
export const useStable = <A extends unknown[]>(act: (...args: A) => void): ((...args: A) => void) => {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  return useCallback((...args: A) => latest.current(...args), []);
};
