"use client";

import { useEffect } from "react";
import type { PostFilter } from "#lib/features/pins/constants.ts";

/** Keeps account and status in the address, so that a reload and a shared link show the same. */
export const useFilterAddress = (accountId: string | null, filter: PostFilter): void => {
  useEffect(() => {
    const search = new URLSearchParams(location.search);
    if (accountId) search.set("account", accountId);
    if (filter === "all") search.delete("status");
    else search.set("status", filter);
    const query = search.toString();
    history.replaceState(history.state, "", query ? `${location.pathname}?${query}` : location.pathname);
  }, [accountId, filter]);
};
