"use client";

import { useLayoutEffect } from "react";
import { getToken, onTokenChange } from "#lib/client/stored-token.ts";

/** Keeps the root's `data-session` true to the stored token after the first paint: on logging in and out, in any tab. */
export function SessionMark() {
  useLayoutEffect(() => {
    const mark = (): void => {
      const { dataset } = document.documentElement;
      if (getToken() === null) delete dataset.session;
      else dataset.session = "stored";
    };
    mark();
    return onTokenChange(mark);
  }, []);
  return null;
}
