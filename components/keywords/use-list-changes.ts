"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { refetchActive } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import type { KeywordListWire, SavedKeywordWire } from "#lib/features/keywords/schema.ts";
import { LISTS_PATH, listPath } from "./keywords-query.ts";

const FAILED = "We couldn't change the list. Please try again.";
const GONE = 404;

interface ListChanges {
  isBusy: boolean;
  removeKeyword: (list: KeywordListWire, item: SavedKeywordWire) => Promise<void>;
  /** @returns whether it is gone */
  deleteList: (list: KeywordListWire) => Promise<boolean>;
}

/** Removes saved keywords, with Undo, and whole lists. What another tab removed before counts as removed. */
export const useListChanges = (): ListChanges => {
  const client = useQueryClient();
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [isBusy, setBusy] = useState(false);

  const run = async (list: KeywordListWire, change: () => Promise<unknown>, isDeletion = false): Promise<boolean> => {
    setBusy(true);
    try {
      await change();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === GONE) return true;
      if (!isSessionFailure(error)) notice.error(describeFailure(error, FAILED));
      return false;
    } finally {
      setBusy(false);
      void refetchActive(client, queryKeys.keywordLists);
      // A deleted list is gone; its items are shown until the lists are read.
      if (!isDeletion) void refetchActive(client, queryKeys.keywordList(list.id));
    }
  };

  return {
    isBusy,
    removeKeyword: async (list, { id, keyword }) => {
      const path = `${listPath(list.id)}keywords/${encodeURIComponent(id)}/`;
      if (!(await run(list, () => api.delete(path)))) return;
      const restore = () => api.post(LISTS_PATH, { name: list.name, keywords: [keyword] });
      showToast(`“${keyword}” removed`, { onUndo: () => void run(list, restore) });
    },
    deleteList: async (list) => {
      const isGone = await run(list, () => api.delete(listPath(list.id)), true);
      if (isGone) showToast(`${list.name} deleted`, { hasCheck: true });
      return isGone;
    },
  };
};
