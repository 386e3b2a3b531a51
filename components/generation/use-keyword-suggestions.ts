"use client";

import { useEffect, useState } from "react";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { SEARCH_TERM_MAX, SUGGEST_FROM_CHARS } from "#lib/features/keywords/constants.ts";
import type { SuggestionsWire } from "#lib/features/keywords/schema.ts";

const PAUSE_MS = 0.5 * SECOND_MS;

/** While the field has focus, after a pause in typing. Without any, the field works as before. */
export const useKeywordSuggestions = (accountId: string | null, typed: string) => {
  const [isActive, setActive] = useState(false);
  const [text, setText] = useState("");
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => setText(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isActive, typed]);
  const isWanted =
    isActive && accountId !== null && text.length >= SUGGEST_FROM_CHARS && text.length <= SEARCH_TERM_MAX;
  const path = `/api/users/pinterest/keyword-suggestions/${encodeURIComponent(accountId ?? "")}/?${new URLSearchParams({ text })}`;
  const { data } = useApiQuery(isWanted ? [path] : null, (signal) => api.get<SuggestionsWire>(path, signal));
  return {
    keywords: data?.keywords ?? [],
    problem: data?.problem ?? null,
    start: () => setActive(true),
    stop: () => setActive(false),
  };
};
