"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { refetchActive, setKnown } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import {
  dismissProposalsAction,
  listWatchesAction,
  readSiteAction,
  unwatchSiteAction,
  watchSiteAction,
} from "#lib/features/sites/actions.ts";
import type { SiteWire, WatchesWire } from "#lib/features/sites/schema.ts";
import type { ActionResult } from "#lib/server/action.ts";

export interface FoundSite {
  /** What was entered. */
  text: string;
  search: string;
  site: SiteWire;
}

export interface SiteWork {
  busy: "find" | "search" | "watch" | "change" | null;
  problem: string | null;
  found: FoundSite | null;
  watches: WatchesWire;
  find: (text: string, search?: string) => Promise<void>;
  /** @returns whether it is watched now */
  watch: (address: string) => Promise<boolean>;
  unwatch: (watchId: string) => Promise<boolean>;
  dismiss: (proposalIds: string[]) => Promise<boolean>;
}

/** Reads sites, and keeps the watched ones. */
export const useSiteWork = (first: WatchesWire): SiteWork => {
  const client = useQueryClient();
  const notice = useNotice();
  const [busy, setBusy] = useState<SiteWork["busy"]>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [found, setFound] = useState<FoundSite | null>(null);
  const { data: watches } = useQuery({
    queryKey: queryKeys.watches,
    queryFn: () => actionValue(listWatchesAction(null)),
    initialData: first,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  });

  const call = async <T>(kind: SiteWork["busy"], action: Promise<ActionResult<T>>): Promise<ActionResult<T>> => {
    setBusy(kind);
    try {
      return await callAction(action);
    } finally {
      setBusy(null);
    }
  };

  const change = async (kind: "watch" | "change", action: Promise<ActionResult<WatchesWire>>): Promise<boolean> => {
    const answer = await call(kind, action);
    if (!answer.ok) {
      notice.error(answer.text);
      // What another tab removed before is gone.
      if (answer.code === "not_found") void refetchActive(client, queryKeys.watches);
      return false;
    }
    setKnown(client, queryKeys.watches, answer.value);
    void refetchActive(client, queryKeys.newPages);
    return true;
  };

  return {
    busy,
    problem,
    found,
    watches,
    find: async (text, search = "") => {
      setProblem(null);
      const answer = await call(search === "" ? "find" : "search", readSiteAction({ text, search }));
      if (answer.ok) setFound({ text, search, site: answer.value });
      else setProblem(answer.text);
    },
    watch: (address) => change("watch", watchSiteAction({ text: address })),
    unwatch: (watchId) => change("change", unwatchSiteAction({ watchId })),
    dismiss: (proposalIds) => change("change", dismissProposalsAction({ proposalIds })),
  };
};
