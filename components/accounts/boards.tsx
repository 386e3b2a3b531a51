"use client";

import { useLayoutEffect, useMemo, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { useStable } from "#components/ui/use-stable.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire, BoardWire } from "#lib/features/accounts/schema.ts";

/** The boards of an account, read live from Pinterest, and what a chooser says while none is chosen. */
export interface Boards {
  items: readonly BoardWire[] | null;
  isLoading: boolean;
  emptyText: string;
  /** R-ERR-08, or why the account cannot be read at all; null while nothing is wrong. */
  problem: string | null;
  /** Asks again. */
  reload: () => void;
}

const textOf = (accountId: string | null, isLoading: boolean, count: number | undefined): string => {
  if (!accountId) return "Choose an account first";
  if (isLoading) return "Loading boards";
  return count === 0 ? TEXTS.noBoards : "Choose a board";
};

/** The answer for an account that has lost its connection (DESIGN §6). */
const RECONNECT_NEEDED = 409;

const problemOf = (error: unknown): string | null => {
  if (error === null) return null;
  return error instanceof ApiError && error.status === RECONNECT_NEEDED ? error.message : TEXTS.boardsFailed;
};

/** Reads the boards of an account. */
export const useBoards = (accountId: string | null): Boards => {
  const { data, error, isLoading, reload } = useApiQuery(accountId ? queryKeys.boards(accountId) : null, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const items = data?.items ?? null;
  const emptyText = textOf(accountId, isLoading, items?.length);
  const problem = problemOf(error);
  // The same object while nothing changed: a form has many rows that show them.
  return useMemo(
    () => ({ items, isLoading, emptyText, problem, reload }),
    [items, isLoading, emptyText, problem, reload],
  );
};

/** A board as a chooser names it: whoever cannot see it is told. */
export const boardLabel = ({ name, privacy }: BoardWire): string =>
  privacy === "PUBLIC" ? name : `${name} (${privacy.toLowerCase()})`;

type BoardsAgainProps = {
  boards: Boards;
  /** What gets the focus once the boards are there, and the button is not. */
  focusAfter: () => HTMLElement | null;
};

function Again({ boards, focusAfter }: BoardsAgainProps) {
  const button = useRef<HTMLButtonElement>(null);
  const focusNext = useStable(() => focusAfter()?.focus());
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // What comes next can be focused only once the page has changed.
      if (current === document.activeElement) queueMicrotask(focusNext);
    };
  }, [focusNext]);
  return (
    <Button ref={button} size="sm" className="justify-self-start" onClick={boards.reload}>
      Try again
    </Button>
  );
}

/** Below a chooser whose boards could not be read: asks Pinterest again. Nothing while they can. */
export function BoardsAgain(props: BoardsAgainProps) {
  return props.boards.problem === null ? null : <Again {...props} />;
}
