"use client";

import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useState } from "react";
import { type ResultsQuery, readResultsQuery, writeResultsQuery } from "#components/results/results-query.ts";
import { editQuery } from "#lib/client/edit-query.ts";

const queryOf = (search: URLSearchParams): ResultsQuery => readResultsQuery(Object.fromEntries(search));

/** Whether the way back leads from one query to the other: other days or other groups are another view. */
const areSteps = (before: ResultsQuery, after: ResultsQuery): boolean =>
  before.span !== after.span || before.from !== after.from || before.to !== after.to || before.by !== after.by;

/** What is asked for, and how to ask for something else. */
export interface Asked {
  accountId: string | null;
  setAccountId: (accountId: string) => void;
  query: ResultsQuery;
  change: (part: Partial<ResultsQuery>) => void;
}

/** Keeps account, days, groups and figures in the address, so that reload, a shared link and the way back show the same. */
export const useResultsAddress = (
  first: { accountId: string | null; query: ResultsQuery },
  accounts: readonly { id: string }[],
): Asked => {
  const [accountId, setAccountId] = useState(first.accountId);
  const [query, setQuery] = useState(first.query);
  const read = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    const named = accounts.find(({ id }) => id === search.get("account"));
    setAccountId(named?.id ?? accountId);
    setQuery(queryOf(search));
  });
  // On the way back the router paints what it kept of the first visit: what is asked for now stands in the address.
  useLayoutEffect(() => read(), []);
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          for (const [name, value] of Object.entries(writeResultsQuery(query))) {
            if (value === null) search.delete(name);
            else search.set(name, value);
          }
        },
        { isStep: (before) => areSteps(queryOf(before), query) },
      ),
    [accountId, query],
  );
  useEffect(() => {
    const { pathname } = location;
    const hear = () => {
      if (location.pathname === pathname) read();
    };
    window.addEventListener("popstate", hear);
    return () => window.removeEventListener("popstate", hear);
  }, []);
  return {
    accountId,
    setAccountId,
    query,
    change: useCallback((part) => setQuery((before) => ({ ...before, ...part })), []),
  };
};
