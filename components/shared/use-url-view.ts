"use client";

import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useState } from "react";
import { editQuery } from "#lib/client/edit-query.ts";

export interface UrlView<Q> {
  accountId: string | null;
  setAccountId: (accountId: string) => void;
  query: Q;
  change: (part: Partial<Q>) => void;
}

/** How a view is kept in the URL. `write` returns null for defaults, which are left out. */
export interface UrlForm<Q> {
  read: (params: Record<string, string>) => Q;
  write: (query: Q) => Record<string, string | null>;
  /** Whether a change gets its own history entry. */
  isNewView: (before: Q, after: Q) => boolean;
}

/**
 * Keeps the account and the view of a screen in the URL, so that reload, shared links and the back button show the same.
 * @param form the same object on every render
 */
export const useUrlView = <Q extends object>(
  first: { accountId: string | null; query: Q },
  accounts: readonly { id: string }[],
  form: UrlForm<Q>,
): UrlView<Q> => {
  const [accountId, setAccountId] = useState(first.accountId);
  const [query, setQuery] = useState(first.query);
  const read = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    const named = accounts.find(({ id }) => id === search.get("account"));
    setAccountId(named?.id ?? accountId);
    setQuery(form.read(Object.fromEntries(search)));
  });
  // After going back, the router renders the state of the first visit; the URL has the current one.
  useLayoutEffect(() => read(), []);
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          for (const [name, value] of Object.entries(form.write(query))) {
            if (value === null) search.delete(name);
            else search.set(name, value);
          }
        },
        { isStep: (before) => form.isNewView(form.read(Object.fromEntries(before)), query) },
      ),
    [accountId, query, form],
  );
  useEffect(() => {
    const { pathname } = location;
    const onPopState = () => {
      if (location.pathname === pathname) read();
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, []);
  return {
    accountId,
    setAccountId,
    query,
    change: useCallback((part) => setQuery((before) => ({ ...before, ...part })), []),
  };
};
