"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether this is a machine with a ⌘ key. */
export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** The same for what is painted; the server paints the other. */
export function useApple(): boolean {
  return useSyncExternalStore(never, isApple, () => false);
}
