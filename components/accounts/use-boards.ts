"use client";

import { useMemo } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { api } from "#lib/client/api.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire, BoardWire } from "#lib/features/accounts/schema.ts";

/** The boards of an account, read live from Pinterest, and what a chooser says while none is chosen. */
export interface Boards {
  items: readonly BoardWire[] | null;
  isLoading: boolean;
  emptyText: string;
  /** R-ERR-08, or null. */
  problem: string | null;
  /** Asks again. */
  reload: () => void;
}

const textOf = (accountId: string | null, isLoading: boolean, count: number | undefined): string => {
  if (!accountId) return "Choose an account first";
  if (isLoading) return "Loading boards";
  return count === 0 ? TEXTS.noBoards : "Choose a board";
};

/** Reads the boards of an account. */
export const useBoards = (accountId: string | null): Boards => {
  const { data, error, isLoading, reload } = useScreenCall(accountId, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const items = data?.items ?? null;
  const emptyText = textOf(accountId, isLoading, items?.length);
  const problem = error === null ? null : TEXTS.boardsFailed;
  // The same object while nothing changed: a form has many rows that show them.
  return useMemo(
    () => ({ items, isLoading, emptyText, problem, reload }),
    [items, isLoading, emptyText, problem, reload],
  );
};

/** A board as a chooser names it: whoever cannot see it is told. */
export const boardLabel = ({ name, privacy }: BoardWire): string =>
  privacy === "PUBLIC" ? name : `${name} (${privacy.toLowerCase()})`;
