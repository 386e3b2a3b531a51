"use client";

import { useCallback, useMemo, useState } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { api } from "#lib/client/api.ts";
import { useStream } from "#lib/client/use-stream.ts";
import { HISTORY_CALL, HISTORY_PAGE } from "#lib/features/credits/constants.ts";
import type { EntryWire, HistoryWire } from "#lib/features/credits/schema.ts";

/** Entries from the newest on, and the call that answers older ones; null when there are none. */
export type Listed = { entries: readonly EntryWire[]; olderPath: string | null };

export interface History extends Listed {
  /** The newest entries could not be read again. */
  error: unknown;
  /** Older entries could not be read. */
  olderError: unknown;
  isReadingOlder: boolean;
  reload: () => void;
  readOlder: () => void;
}

const ask = async (path: string, signal?: AbortSignal): Promise<Listed> => {
  const { body, next } = await api.getPage<HistoryWire>(path, signal);
  return { entries: body.entries, olderPath: next };
};

/** New entries over those that were listed before; what was listed stays when both meet, for nothing is between them. */
const joinLists = (newest: Listed, older: Listed): Listed => {
  const ids = new Set(newest.entries.map(({ id }) => id));
  const meet = older.entries.some(({ id }) => ids.has(id));
  if (newest.olderPath !== null && !meet) return newest;
  const rest = older.entries.filter(({ id }) => !ids.has(id));
  return { entries: [...newest.entries, ...rest], olderPath: rest.length > 0 ? older.olderPath : newest.olderPath };
};

/**
 * The history as the documented call answers it, over the server's first paint: asked on load, again whenever the
 * balance changes, and for older entries on demand.
 */
export const useHistory = (first: Listed): History => {
  const { isSessionFailure } = useSessionEnd();
  const { data, error, reload } = useScreenCall("history", (signal) =>
    ask(`${HISTORY_CALL}?limit=${HISTORY_PAGE}`, signal),
  );
  const [seen, setSeen] = useState(first);
  const [olderError, setOlderError] = useState<unknown>(null);
  const [isReadingOlder, setReadingOlder] = useState(false);
  const listed = useMemo(() => (data ? joinLists(data, seen) : seen), [data, seen]);
  useStream(({ kind }) => {
    if (kind === "credits" || kind === "reset") reload();
  });

  const readOlder = useCallback(async () => {
    if (listed.olderPath === null) return;
    setReadingOlder(true);
    try {
      const older = await ask(listed.olderPath);
      setSeen({ entries: [...listed.entries, ...older.entries], olderPath: older.olderPath });
      setOlderError(null);
    } catch (failure) {
      if (!isSessionFailure(failure)) setOlderError(failure);
    }
    setReadingOlder(false);
  }, [listed, isSessionFailure]);

  return { ...listed, error, olderError, isReadingOlder, reload, readOlder };
};
