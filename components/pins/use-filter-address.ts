"use client";

import { useEffect } from "react";
import type { WallQuery } from "#components/pins/wall-list.ts";
import { editQuery } from "#lib/client/edit-query.ts";

/** What an address leaves out, since it goes without saying. */
const DEFAULTS = { status: "all", q: "", sort: "newest" };

/** Keeps account, status, search and order in the address, so that a reload and a shared link show the same. */
export const useFilterAddress = (accountId: string | null, { filter, q, sort }: WallQuery): void => {
  useEffect(
    () =>
      editQuery((search) => {
        if (accountId) search.set("account", accountId);
        const asked = { status: filter, q, sort };
        for (const name of ["status", "q", "sort"] as const) {
          if (asked[name] === DEFAULTS[name]) search.delete(name);
          else search.set(name, asked[name]);
        }
      }),
    [accountId, filter, q, sort],
  );
};
