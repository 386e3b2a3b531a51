"use client";

import { useEffect, useEffectEvent } from "react";
import { readWallQuery, type WallQuery } from "#components/pins/wall-list.ts";
import { editQuery } from "#lib/client/edit-query.ts";

/** What an address leaves out, since it goes without saying. */
const DEFAULTS = { status: "all", q: "", sort: "newest" };

const queryOf = (search: URLSearchParams): WallQuery => readWallQuery(Object.fromEntries(search));

type FilterAddress = {
  accountId: string | null;
  query: WallQuery;
  /** The way back or forward has led to another address of this screen. */
  onReturn: (accountId: string | null, query: WallQuery) => void;
};

/**
 * Keeps account, status, search and order in the address, so that a reload and a shared link show the same. Each status
 * is a step of its own, so that the browser's way back leads to the one before.
 */
export const useFilterAddress = ({ accountId, query, onReturn }: FilterAddress): void => {
  const { filter, q, sort } = query;
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          const asked = { status: filter, q, sort };
          for (const name of ["status", "q", "sort"] as const) {
            if (asked[name] === DEFAULTS[name]) search.delete(name);
            else search.set(name, asked[name]);
          }
        },
        { isStep: (before) => queryOf(before).filter !== filter },
      ),
    [accountId, filter, q, sort],
  );
  const goBack = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    onReturn(search.get("account") ?? accountId, queryOf(search));
  });
  useEffect(() => {
    const { pathname } = location;
    const hear = () => {
      if (location.pathname === pathname) goBack();
    };
    window.addEventListener("popstate", hear);
    return () => window.removeEventListener("popstate", hear);
  }, []);
};
