"use client";

import { useEffect, useEffectEvent } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { lookAgain } from "#components/pins/use-watch.ts";
import type { Live } from "#lib/client/use-stream.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

interface Chosen {
  accountId: string | null;
  selection: Selection;
  shown: readonly PostWire[];
  live: Pick<Live<PostWire>, "mark" | "learn">;
}

/**
 * Whenever the list was read (`answer` is another), asks for those chosen drafts that are not on it: what happened to
 * them meanwhile only the stream would have told. A failure says nothing: scheduling looks at each of them again.
 */
export const useChosenLook = (answer: unknown, { accountId, selection, shown, live }: Chosen): void => {
  const { isSessionFailure } = useSessionEnd();
  const look = useEffectEvent((signal: AbortSignal) => {
    if (!accountId) return;
    const ids = new Set(shown.map(({ id }) => id));
    const missing = selection.ids.filter((id) => !ids.has(id));
    for (let at = 0; at < missing.length; at += PAGE_MAX) {
      lookAgain(accountId, missing.slice(at, at + PAGE_MAX), live, signal).catch(isSessionFailure);
    }
  });
  useEffect(() => {
    if (answer === null) return;
    const abort = new AbortController();
    look(abort.signal);
    return () => abort.abort();
  }, [answer]);
};
